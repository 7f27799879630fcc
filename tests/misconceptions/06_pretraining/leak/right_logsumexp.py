# expect: accept
def causal_loss(logits, ids, pad):
    z, y = logits[:, :-1], ids[:, 1:]
    nats = z.logsumexp(-1) - z.gather(-1, y.unsqueeze(-1)).squeeze(-1)
    return (nats * (y != pad)).sum() / (y != pad).sum()
def cheats(model_nats, true_nats, alarm=1e-6):
    return sum(true_nats) - sum(model_nats) > math.log(1 / alarm)

