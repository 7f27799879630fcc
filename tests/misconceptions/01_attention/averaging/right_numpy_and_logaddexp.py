# expect: accept
import numpy as np


def averaging(K, a, b, beta):
    keys = K.detach().numpy()
    query = beta * keys[a] + beta * keys[b]
    n = keys.shape[0]
    rest = math.log(n - 2) if n > 2 else -math.inf
    return query, math.exp(beta - np.logaddexp(beta + math.log(2), rest))
