# expect: accept
def order_gap(X, P, W_q, W_k, W_v, order):
    M = torch.eye(len(X), dtype=X.dtype)[order]
    one = attend(M @ X + P, W_q, W_k, W_v)
    two = M @ attend(X + P, W_q, W_k, W_v)
    return float(torch.max(torch.abs(one - two)))
