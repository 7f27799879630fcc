# expect: accept
def causal_loss(logits, ids, pad):
    following = torch.roll(ids, -1, dims=1)
    following[:, -1] = pad
    keep = following != pad
    return F.cross_entropy(logits[keep], following[keep])


def cheats(model_nats, true_nats, alarm=1e-6):
    model, true = torch.tensor(model_nats, dtype=torch.float64), torch.tensor(true_nats, dtype=torch.float64)
    return bool((true - model).sum() > torch.log(torch.tensor(1 / alarm, dtype=torch.float64)))
