# expect: reject
# hint: a visible word of zeros
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    Z = X.clone(); Z[hidden] = 0
    gone = (Z == 0).all(1, keepdim=True)
    a = torch.where(gone, mask, X + P)
    b = torch.where(gone, mask, X) + P
    return attend(a, W_q, W_k, W_v)[hidden], attend(b, W_q, W_k, W_v)[hidden]
