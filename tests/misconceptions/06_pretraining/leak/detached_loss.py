# expect: reject
# hint: no gradient flows to the logits: leave out detach, item and no_grad
# keeps: cheats
def causal_loss(logits, ids, pad):
    return F.cross_entropy(logits[:, :-1].detach().flatten(0, 1), ids[:, 1:].reshape(-1), ignore_index=pad)
def cheats(model_nats, true_nats, alarm=1e-6):
    return sum(true_nats) - sum(model_nats) > math.log(1 / alarm)

