# expect: reject
# hint: shuffle by the order that is given, do not draw one
def order_gap(X, P, W_q, W_k, W_v, order):
    order = torch.randperm(len(X), generator=torch.Generator().manual_seed(0))
    return (attend(X[order] + P, W_q, W_k, W_v) - attend(X + P, W_q, W_k, W_v)[order]).abs().max().item()
