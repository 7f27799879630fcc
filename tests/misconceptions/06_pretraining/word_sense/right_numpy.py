# expect: accept
import numpy as np
def nearest(vector, table, k):
    a, b = np.asarray(vector), np.asarray(table)
    return [int(i) for i in np.argsort(-(b @ a) / np.linalg.norm(b, axis=1), kind="stable")[:k]]

def same_sense(states, senses, k):
    s, y = np.asarray(states, dtype=float), np.asarray(senses)
    s = s / np.linalg.norm(s, axis=1, keepdims=True)
    c = s @ s.T
    np.fill_diagonal(c, -np.inf)
    return np.mean(y[np.argsort(-c, 1)[:, :k]] == y[:, None])
