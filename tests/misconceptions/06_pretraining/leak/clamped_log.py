# expect: reject
# hint: large logits give another loss: take log_softmax or F.cross_entropy instead of bounding the probability
# keeps: cheats
def causal_loss(logits, ids, pad):
    p = logits[:, :-1].softmax(-1).gather(2, ids[:, 1:, None])[..., 0]
    return -p.clamp(min=1e-9).log()[ids[:, 1:] != pad].mean()
def cheats(model_nats, true_nats, alarm=1e-6):
    return sum(true_nats) - sum(model_nats) > math.log(1 / alarm)

