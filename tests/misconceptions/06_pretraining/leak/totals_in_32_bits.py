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
    import numpy as np

    model, true = np.float32(0), np.float32(0)
    for m, t in zip(model_nats, true_nats, strict=True):
        model, true = model + np.float32(m), true + np.float32(t)
    return bool(true - model > math.log(1 / alarm))
