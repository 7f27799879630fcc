# expect: reject
# hint: the shares need not sum to 1: they are coefficients of the u's, and words 1 and 3 hold two u's each
def no_projections(U, s, t):
    ua, ub, uc, ud = U
    X = torch.stack([ud + ub, ua + s * ud + t * uc, uc + ub])
    C = torch.softmax(X @ X.T, dim=-1) @ X
    shares = U @ C[1] / (ua @ ua)
    return C, shares / shares.sum()
