# expect: reject
# hint: you divided the scores by √d: this notebook works without that factor
def no_projections(U, s, t):
    ua, ub, uc, ud = U
    X = torch.stack([ud + ub, ua + s * ud + t * uc, uc + ub])
    C = torch.softmax(X @ X.T / math.sqrt(X.shape[1]), dim=-1) @ X
    return C, U @ C[1] / (ua @ ua)
