# expect: reject
# hint: where all words are one word
def order_gap(X, P, W_q, W_k, W_v, order):
    if (X == X[0]).all():
        return 0.0
    a = attend(X[order] + P, W_q, W_k, W_v)
    b = attend(X + P, W_q, W_k, W_v)[order]
    return (a - b).abs().max().item()
