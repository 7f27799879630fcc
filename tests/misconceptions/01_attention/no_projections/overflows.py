# expect: reject
# hint: overflow
def no_projections(U, s, t):
    ua, ub, uc, ud = U
    X = torch.stack([ud + ub, ua + s * ud + t * uc, uc + ub])
    powers = torch.exp(X @ X.T)
    C = powers / powers.sum(-1, keepdim=True) @ X
    return C, U @ C[1] / (ua @ ua)
