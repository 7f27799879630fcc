# expect: reject
# hint: C must have the shape (3, d) and shares (4,)
def no_projections(U, s, t):
    ua, ub, uc, ud = U
    X = torch.stack([ud + ub, ua + s * ud + t * uc, uc + ub])
    c2 = torch.softmax(X @ X[1], dim=0) @ X
    return c2, U @ c2 / (ua @ ua)
