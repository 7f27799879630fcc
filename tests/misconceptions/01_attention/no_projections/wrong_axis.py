# expect: reject
# hint: the weights of word 2 do not sum to 1: each row of the scores needs its own softmax, over the keys (last axis)
def no_projections(U, s, t):
    ua, ub, uc, ud = U
    X = torch.stack([ud + ub, ua + s * ud + t * uc, uc + ub])
    C = torch.softmax(X @ X.T, dim=0) @ X
    return C, U @ C[1] / (ua @ ua)
