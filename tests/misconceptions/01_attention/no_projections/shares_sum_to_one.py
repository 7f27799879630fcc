# expect: reject
# hint: need not sum to 1
def no_projections(U, s, t):
    ua, ub, uc, ud = U
    X = torch.stack([ud + ub, ua + s * ud + t * uc, uc + ub])
    C = torch.softmax(X @ X.T, dim=-1) @ X
    shares = U @ C[1] / (ua @ ua)
    return C, shares / shares.sum()
