# expect: reject
# hint: the loss is smoothed over the labels: the plain mean of the nats is asked for
# keeps: cheats
def causal_loss(logits, ids, pad):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].reshape(-1), ignore_index=pad, label_smoothing=0.05)
def cheats(model_nats, true_nats, alarm=1e-6):
    return sum(true_nats) - sum(model_nats) > math.log(1 / alarm)

