# expect: accept
def order_gap(X, P, W_q, W_k, W_v, order):
    one = attend(X.index_select(0, order).add(P), W_q, W_k, W_v)
    two = attend(torch.add(X, P), W_q, W_k, W_v).index_select(0, order)
    return F.l1_loss(one, two, reduction="none").amax()
