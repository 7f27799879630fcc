# expect: reject
# hint: the alarm may be tiny, or large
# keeps: causal_loss
def causal_loss(logits, ids, pad):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=pad)


def cheats(model_nats, true_nats, alarm=1e-6):
    return bool(math.fsum(true_nats) - math.fsum(model_nats) > max(math.log(1 / alarm), 1))
