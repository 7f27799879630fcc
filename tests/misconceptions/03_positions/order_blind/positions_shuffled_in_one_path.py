# expect: reject
# hint: row i of P belongs to place i in both paths: never reorder P
def order_gap(X, P, W_q, W_k, W_v, order):
    return (attend(X[order] + P, W_q, W_k, W_v) - attend(X + P[order], W_q, W_k, W_v)[order]).abs().max().item()
