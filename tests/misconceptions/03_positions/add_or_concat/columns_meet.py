# expect: reject
# hint: one term has an entry for each pair of places: X @ X.T, not X.T @ X
def score_terms(X, P):
    def term(a, b):
        return a.T @ b
    added = torch.stack([term(X, X), term(X, P), term(P, X), term(P, P)])
    return added, added[[0, 3]]
