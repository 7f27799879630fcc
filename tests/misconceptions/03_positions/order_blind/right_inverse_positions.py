# expect: accept
def order_gap(X, P, W_q, W_k, W_v, order):
    back = order.argsort()  # the other way round: give the words back their old places after the first path
    one = attend(X[order] + P, W_q, W_k, W_v)[back]
    return torch.linalg.vector_norm(one - attend(X + P, W_q, W_k, W_v), ord=float("inf")).item()
