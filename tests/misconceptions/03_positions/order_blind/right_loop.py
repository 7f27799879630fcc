# expect: accept
def order_gap(X, P, W_q, W_k, W_v, order):
    shuffled = torch.stack([X[int(w)] for w in order])
    one, two = attend(shuffled + P, W_q, W_k, W_v), attend(X + P, W_q, W_k, W_v)
    gap = 0.0
    for place, w in enumerate(order.tolist()):
        for a, b in zip(one[place].tolist(), two[w].tolist()):
            gap = max(gap, abs(a - b))
    return gap
