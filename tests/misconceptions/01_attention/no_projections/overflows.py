# expect: reject
# hint: scores of β² = 10,000 overflow: use a softmax that takes the largest score away first
def no_projections(U, s, t):
    ua, ub, uc, ud = U
    X = torch.stack([ud + ub, ua + s * ud + t * uc, uc + ub])
    powers = torch.exp(X @ X.T)
    C = powers / powers.sum(-1, keepdim=True) @ X
    return C, U @ C[1] / (ua @ ua)
