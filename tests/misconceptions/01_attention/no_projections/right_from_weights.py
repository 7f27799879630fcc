# expect: accept
def no_projections(U, s, t):
    ua, ub, uc, ud = U
    X = torch.stack([ud + ub, ua + s * ud + t * uc, uc + ub])
    weights = torch.softmax(X @ X.T, dim=-1)
    w = weights[1]
    return weights @ X, torch.stack([w[1], w[0] + w[2], w[2] + t * w[1], w[0] + s * w[1]])
