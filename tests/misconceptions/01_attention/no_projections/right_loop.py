# expect: accept
def no_projections(U, s, t):
    ua, ub, uc, ud = U
    X = torch.stack([ud + ub, ua + s * ud + t * uc, uc + ub])
    C = []
    for x in X:
        scores = torch.stack([x @ y for y in X])
        alpha = torch.exp(scores - torch.logsumexp(scores, 0))
        C.append(sum(w * y for w, y in zip(alpha, X)))
    C = torch.stack(C)
    return C, torch.stack([u @ C[1] / u.square().sum() for u in U])
