# expect: accept
def causal_loss(logits, ids, pad):
    hot = F.one_hot(ids[:, 1:], logits.shape[-1]).to(logits.dtype) * (ids[:, 1:, None] != pad)
    return -(hot * torch.log_softmax(logits[:, :-1], -1)).sum() / hot.sum()

def cheats(model_nats, true_nats, alarm=1e-6):
    return torch.tensor(math.fsum(true_nats) - math.fsum(model_nats) + math.log(alarm) > 0)
