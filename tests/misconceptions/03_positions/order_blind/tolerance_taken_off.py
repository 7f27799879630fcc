# expect: reject
# hint: report the gap as it is: small gaps are no zeros
def order_gap(X, P, W_q, W_k, W_v, order):
    gap = (attend(X[order] + P, W_q, W_k, W_v) - attend(X + P, W_q, W_k, W_v)[order]).abs().max().item()
    return 0.0 if gap < 1e-3 else gap
