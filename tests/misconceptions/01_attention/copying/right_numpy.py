# expect: accept
def copying(K, j, eps):
    import numpy as np

    keys = K.numpy()
    odds = (1 - eps) / eps * (keys.shape[0] - 1)
    return np.log(odds) * keys[j]
