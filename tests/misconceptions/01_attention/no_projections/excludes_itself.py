# expect: reject
# hint: word 2 also attends to itself: the score of a word with itself counts, do not take it out
def no_projections(U, s, t):
    ua, ub, uc, ud = U
    X = torch.stack([ud + ub, ua + s * ud + t * uc, uc + ub])
    scores = (X @ X.T).masked_fill(torch.eye(3, dtype=torch.bool), -math.inf)
    C = torch.softmax(scores, dim=-1) @ X
    return C, U @ C[1] / (ua @ ua)
