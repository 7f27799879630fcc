# expect: reject
# hint: keep all three axes, also where there is one place: no squeeze
def score_terms(X, P):
    added = torch.stack([X @ X.T, X @ P.T, P @ X.T, P @ P.T]).squeeze()
    return added, torch.stack([X @ X.T, P @ P.T]).squeeze()
