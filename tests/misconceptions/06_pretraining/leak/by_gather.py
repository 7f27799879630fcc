# expect: accept
def causal_loss(logits, ids, pad):
    log_q = logits[:, :-1].log_softmax(-1)
    nats = -log_q.gather(-1, ids[:, 1:].unsqueeze(-1)).squeeze(-1)
    real = (ids[:, 1:] != pad).float()
    return (nats * real).sum() / real.sum()


def cheats(model_nats, true_nats, alarm=1e-6):
    return bool(math.exp(-min(max(sum(t - m for t, m in zip(true_nats, model_nats)), 0.0), 700.0)) < alarm)
