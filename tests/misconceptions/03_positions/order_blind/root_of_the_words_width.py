# expect: reject
# hint: attend divides by √e, the width of the head, not of the words: use `attend` as it stands
def order_gap(X, P, W_q, W_k, W_v, order):
    def layer(Z):
        return ((Z @ W_q) @ (Z @ W_k).T / Z.shape[1] ** 0.5).softmax(-1) @ (Z @ W_v)
    return (layer(X[order] + P) - layer(X + P)[order]).abs().max().item()
