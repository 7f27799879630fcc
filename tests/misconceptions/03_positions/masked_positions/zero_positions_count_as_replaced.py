# expect: reject
# hint: a visible word of zeros
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    b = X.clone(); b[hidden] = mask
    a = b + P; a[hidden] = mask
    none = (P == 0).all(1, keepdim=True)
    a = torch.where(none, mask, a)
    return attend(a, W_q, W_k, W_v)[hidden], attend(b + P, W_q, W_k, W_v)[hidden]
