# expect: accept
def causal_loss(logits, ids, pad):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].reshape(-1), ignore_index=pad)

import numpy as np
def cheats(model_nats, true_nats, alarm=1e-6):
    return np.subtract(true_nats, model_nats).sum() > -np.log(alarm)
