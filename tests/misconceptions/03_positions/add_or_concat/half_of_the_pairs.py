# expect: reject
# hint: all pairs (i, j) are asked for, those with j > i too
def score_terms(X, P):
    added = torch.stack([X @ X.T, X @ P.T, P @ X.T, P @ P.T]).tril()
    return added, added[[0, 3]]
