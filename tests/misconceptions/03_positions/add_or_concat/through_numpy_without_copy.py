# expect: reject
# hint: you changed X or P: write into new tensors
def score_terms(X, P):
    added = torch.stack([X @ X.T, X @ P.T, P @ X.T, P @ P.T])
    X += P
    return added, added[[0, 3]]
