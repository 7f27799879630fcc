# expect: accept
def causal_loss(logits, ids, pad):
    terms = []
    for b in range(len(ids)):
        for t in range(ids.shape[1] - 1):
            if ids[b, t + 1] != pad:
                terms.append(torch.logsumexp(logits[b, t], 0) - logits[b, t, ids[b, t + 1]])
    return torch.stack(terms).mean()


def cheats(model_nats, true_nats, alarm=1e-6):
    evidence = 0.0
    for model, true in zip(model_nats, true_nats, strict=True):
        evidence += true - model
    if evidence > -math.log(alarm):
        return True
    return False
