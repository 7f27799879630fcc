# expect: reject
# hint: the ids are changed: work on a copy, or the next step trains on damaged texts
# keeps: cheats
def causal_loss(logits, ids, pad):
    targets = ids[:, 1:]
    targets[targets == pad] = -100
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets.reshape(-1))
def cheats(model_nats, true_nats, alarm=1e-6):
    return sum(true_nats) - sum(model_nats) > math.log(1 / alarm)

