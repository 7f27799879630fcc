# expect: reject
# hint: the same order in both: in joined the words come first too
def score_terms(X, P):
    added = torch.stack([X @ X.T, X @ P.T, P @ X.T, P @ P.T])
    return added, added[[3, 0]]
