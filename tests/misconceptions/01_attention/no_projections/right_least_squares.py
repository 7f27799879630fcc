# expect: accept
def no_projections(U, s, t):
    ua, ub, uc, ud = U
    X = torch.stack([ud + ub, ua + s * ud + t * uc, uc + ub])
    C = torch.softmax(X @ X.T, dim=-1) @ X
    return C, torch.linalg.lstsq(U.T, C[1][:, None]).solution[:, 0]
