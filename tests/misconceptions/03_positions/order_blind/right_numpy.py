# expect: accept
def order_gap(X, P, W_q, W_k, W_v, order):
    x, p, w_q, w_k, w_v, moved = (t.numpy() for t in (X, P, W_q, W_k, W_v, order))

    def layer(z):
        s = (z @ w_q) @ (z @ w_k).T / math.sqrt(w_q.shape[1])
        s = s - s.max(axis=1, keepdims=True)
        import numpy as np

        return np.exp(s) / np.exp(s).sum(axis=1, keepdims=True) @ (z @ w_v)

    return abs(layer(x[moved] + p) - layer(x + p)[moved]).max()
