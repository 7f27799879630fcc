# expect: reject
# hint: cheats empties the lists that it is given: go over them without pop or sort
# keeps: causal_loss
def causal_loss(logits, ids, pad):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].reshape(-1), ignore_index=pad)

def cheats(model_nats, true_nats, alarm=1e-6):
    ahead = 0.0
    while model_nats:
        ahead += true_nats.pop() - model_nats.pop()
    return ahead > math.log(1 / alarm)
