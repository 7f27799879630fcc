# expect: reject
# hint: padding counts in the loss: leave out targets that are PAD, wherever they stand
# keeps: cheats
def causal_loss(logits, ids, pad):
    n = (ids != pad).sum(1)
    keep = torch.arange(1, ids.shape[1]) < n[:, None]
    return F.cross_entropy(logits[:, :-1][keep], ids[:, 1:][keep])
def cheats(model_nats, true_nats, alarm=1e-6):
    return sum(true_nats) - sum(model_nats) > math.log(1 / alarm)

