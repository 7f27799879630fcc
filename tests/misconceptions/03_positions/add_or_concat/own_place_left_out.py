# expect: reject
# hint: a place has a score with itself too: keep the diagonal
def score_terms(X, P):
    added = torch.stack([X @ X.T, X @ P.T, P @ X.T, P @ P.T])
    added = added * (1 - torch.eye(len(X), dtype=X.dtype))
    return added, added[[0, 3]]
