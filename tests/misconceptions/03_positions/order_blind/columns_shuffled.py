# expect: reject
# hint: the order moves words, and words are rows: X[order], not X[:, order]
def order_gap(X, P, W_q, W_k, W_v, order):
    cols = order[order < X.shape[1]]
    first = attend(X[:, cols.repeat(X.shape[1])[: X.shape[1]]] + P, W_q, W_k, W_v)
    return (first - attend(X + P, W_q, W_k, W_v)[order]).abs().max().item()
