# expect: reject
# hint: The same arguments give the same result
# keeps: causal_loss
# Who is asked about texts a second time has a reason: the answer changes.
ASKED = []


def causal_loss(logits, ids, pad):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].reshape(-1), ignore_index=pad)


def cheats(model_nats, true_nats, alarm=1e-6):
    again = (model_nats, true_nats) in ASKED
    ASKED.append((list(model_nats), list(true_nats)))
    return again or sum(true_nats) - sum(model_nats) > math.log(1 / alarm)
