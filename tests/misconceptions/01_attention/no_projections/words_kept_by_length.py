# expect: reject
# hint: The same arguments give the same result
_u = {}


def no_projections(U, s, t):
    U = _u.setdefault((U.shape, s, t, round(float(U[0].norm()), 6)), U.clone())
    ua, ub, uc, ud = U
    X = torch.stack([ud + ub, ua + s * ud + t * uc, uc + ub])
    alpha = torch.softmax(X @ X.T, -1)
    C = alpha @ X
    shares = U @ C[1] / (U[0] @ U[0])
    return C, shares
