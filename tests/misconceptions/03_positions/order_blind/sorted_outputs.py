# expect: reject
# hint: compare place by place: sorted outputs forget which word stands where
def order_gap(X, P, W_q, W_k, W_v, order):
    first = attend(X[order] + P, W_q, W_k, W_v)
    last = attend(X + P, W_q, W_k, W_v)
    return (first.sort(0).values - last.sort(0).values).abs().max().item()
