# expect: reject
# hint: look at all columns of the outputs, not at the first one alone
def order_gap(X, P, W_q, W_k, W_v, order):
    gap = attend(X[order] + P, W_q, W_k, W_v) - attend(X + P, W_q, W_k, W_v)[order]
    return gap[:, 0].abs().max().item()
