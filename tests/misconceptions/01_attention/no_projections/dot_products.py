# expect: reject
# hint: these are the dot products with the u's: divide them by β² to get coefficients
def no_projections(U, s, t):
    ua, ub, uc, ud = U
    X = torch.stack([ud + ub, ua + s * ud + t * uc, uc + ub])
    C = torch.softmax(X @ X.T, dim=-1) @ X
    return C, U @ C[1]
