# expect: reject
# hint: the two cross terms differ: do not average them
def score_terms(X, P):
    mixed = (X @ P.T + P @ X.T) / 2
    return torch.stack([X @ X.T, mixed, mixed, P @ P.T]), torch.stack([X @ X.T, P @ P.T])
