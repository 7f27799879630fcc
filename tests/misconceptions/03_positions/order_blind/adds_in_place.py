# expect: reject
# hint: you changed X itself: write X + P into a new tensor, the caller's X stays as it is
def order_gap(X, P, W_q, W_k, W_v, order):
    first = attend(X[order] + P, W_q, W_k, W_v)
    X += P
    return (first - attend(X, W_q, W_k, W_v)[order]).abs().max().item()
