# expect: reject
# hint: 32-bit arguments give 32-bit results: keep the type of X
def score_terms(X, P):
    X, P = X.double(), P.double()
    added = torch.stack([X @ X.T, X @ P.T, P @ X.T, P @ P.T])
    return added, added[[0, 3]]
