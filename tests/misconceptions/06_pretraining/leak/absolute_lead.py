# expect: reject
# hint: a model that is behind the truth is honest, however far: take the difference with its sign
# keeps: causal_loss
def causal_loss(logits, ids, pad):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].reshape(-1), ignore_index=pad)

def cheats(model_nats, true_nats, alarm=1e-6):
    return abs(sum(true_nats) - sum(model_nats)) > math.log(1 / alarm)
