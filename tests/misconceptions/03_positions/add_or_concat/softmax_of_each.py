# expect: reject
# hint: the terms of the scores are asked for, before any softmax
def score_terms(X, P):
    added = torch.stack([X @ X.T, X @ P.T, P @ X.T, P @ P.T]).softmax(-1)
    return added, added[[0, 3]]
