# expect: reject
# hint: The bound is ln(1/alarm) itself: add nothing to it.
# keeps: causal_loss
def causal_loss(logits, ids, pad):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=pad)


def cheats(model_nats, true_nats, alarm=1e-6):
    return sum(true_nats) - sum(model_nats) > math.log(1 / alarm) + 1e-3
