# expect: reject
# hint: you took the norm of each word's difference: report the largest single number
def order_gap(X, P, W_q, W_k, W_v, order):
    shuffled_first = attend(X[order] + P, W_q, W_k, W_v)
    attend_first = attend(X + P, W_q, W_k, W_v)[order]
    return (shuffled_first - attend_first).norm(dim=1).max()
