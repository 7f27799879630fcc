# expect: reject
# hint: report the largest absolute difference, not the largest minus the smallest
def order_gap(X, P, W_q, W_k, W_v, order):
    gap = attend(X[order] + P, W_q, W_k, W_v) - attend(X + P, W_q, W_k, W_v)[order]
    return (gap.max() - gap.min()).item()
