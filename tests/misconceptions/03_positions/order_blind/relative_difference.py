# expect: reject
# hint: that is a relative difference: report the absolute one, without dividing
def order_gap(X, P, W_q, W_k, W_v, order):
    shuffled_first = attend(X[order] + P, W_q, W_k, W_v)
    attend_first = attend(X + P, W_q, W_k, W_v)[order]
    return torch.max(torch.abs(shuffled_first - attend_first)/attend_first.abs())
