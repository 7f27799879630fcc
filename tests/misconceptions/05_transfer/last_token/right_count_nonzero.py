# expect: accept
def last_token(logits, x):
    import numpy as np
    last = np.count_nonzero(x.numpy(), axis=1) - 1
    return logits[np.arange(len(x)), last]
