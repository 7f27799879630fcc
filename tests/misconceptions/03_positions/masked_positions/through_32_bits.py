# expect: reject
# hint: all replaced: hidden rows are the mask itself
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    t = X.dtype; X, P, mask, W_q, W_k, W_v = (z.float() for z in (X, P, mask, W_q, W_k, W_v))
    one = X + P
    one[hidden] = mask
    two = X.clone()
    two[hidden] = mask
    two = two + P
    return attend(one, W_q, W_k, W_v)[hidden].to(t), attend(two, W_q, W_k, W_v)[hidden].to(t)
