# expect: reject
# hint: plain products are asked for: divide by no norm
def score_terms(X, P):
    X, P = F.normalize(X, dim=1), F.normalize(P, dim=1)
    added = torch.stack([X @ X.T, X @ P.T, P @ X.T, P @ P.T])
    return added, added[[0, 3]]
