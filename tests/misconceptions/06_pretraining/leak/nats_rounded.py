# expect: reject
# hint: thousands of texts, whose nats add up to millions (32 bits are too few for such sums)
# keeps: causal_loss
def causal_loss(logits, ids, pad):
    logp = logits[:, :-1].log_softmax(-1)
    targets = ids[:, 1:]
    terms = -logp.gather(2, targets[..., None])[..., 0]
    keep = targets != pad
    return terms[keep].mean()


def cheats(model_nats, true_nats, alarm=1e-6):
    ahead = sum(round(t, 1) for t in true_nats) - sum(round(m, 1) for m in model_nats)
    return ahead > math.log(1 / alarm)
