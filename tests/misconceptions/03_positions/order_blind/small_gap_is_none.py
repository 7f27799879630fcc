# expect: reject
# hint: the gap of tiny positions is told to 12 decimals
def order_gap(X, P, W_q, W_k, W_v, order):
    one = attend(X[order] + P, W_q, W_k, W_v)
    two = attend(X + P, W_q, W_k, W_v)[order]
    g = (one - two).abs().max().item()
    return g if g > 1e-7 else 0.0
