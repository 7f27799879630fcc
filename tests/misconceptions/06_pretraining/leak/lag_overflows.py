# expect: reject
# hint: a lag of thousands of nats overflows, too: compare the logarithms, not the probabilities
# keeps: causal_loss
def causal_loss(logits, ids, pad):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=pad)


def cheats(model_nats, true_nats, alarm=1e-6):
    return math.exp(sum(model_nats) - sum(true_nats)) < alarm
