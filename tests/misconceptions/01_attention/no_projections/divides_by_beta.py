# expect: reject
# hint: is β², not β
def no_projections(U, s, t):
    ua, ub, uc, ud = U
    X = torch.stack([ud + ub, ua + s * ud + t * uc, uc + ub])
    C = torch.softmax(X @ X.T, dim=-1) @ X
    return C, U @ C[1] / ua.norm()
