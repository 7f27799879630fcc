# expect: reject
# hint: predictions made at PAD count too: what is left out goes by the target, not by the token that stands at t
# keeps: cheats
def causal_loss(logits, ids, pad):
    keep = (ids[:, 1:] != pad) & (ids[:, :-1] != pad)
    return F.cross_entropy(logits[:, :-1][keep], ids[:, 1:][keep])
def cheats(model_nats, true_nats, alarm=1e-6):
    return sum(true_nats) - sum(model_nats) > math.log(1 / alarm)

