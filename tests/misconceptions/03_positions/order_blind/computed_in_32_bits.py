# expect: reject
# hint: the gap is the largest absolute difference between
def order_gap(X, P, W_q, W_k, W_v, order):
    X, P, W_q, W_k, W_v = (z.float() for z in (X, P, W_q, W_k, W_v))
    one = attend(X[order] + P, W_q, W_k, W_v)
    two = attend(X + P, W_q, W_k, W_v)[order]
    return (one - two).abs().max().item()
