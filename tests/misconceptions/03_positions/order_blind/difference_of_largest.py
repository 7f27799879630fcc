# expect: reject
# hint: subtract word by word first: the difference of two largest values says little
def order_gap(X, P, W_q, W_k, W_v, order):
    first, last = attend(X[order] + P, W_q, W_k, W_v), attend(X + P, W_q, W_k, W_v)[order]
    return abs(first.abs().max() - last.abs().max()).item()
