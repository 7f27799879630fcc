# expect: reject
# hint: texts of hundreds of words
def order_gap(X, P, W_q, W_k, W_v, order):
    a = attend(X[order] + P, W_q, W_k, W_v)
    b = attend(X + P, W_q, W_k, W_v)[order]
    return (a - b)[-100:].abs().max().item()
