# expect: reject
# hint: a lead of thousands of nats overflows: compare the logarithms, not the probabilities
# keeps: causal_loss
def causal_loss(logits, ids, pad):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].reshape(-1), ignore_index=pad)

def cheats(model_nats, true_nats, alarm=1e-6):
    return math.exp(sum(true_nats) - sum(model_nats)) > 1 / alarm
