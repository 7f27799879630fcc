# expect: reject
# hint: keep the type of X: torch.zeros alone is 32-bit
def score_terms(X, P):
    added = torch.zeros(4, len(X), len(X))
    for t, (a, b) in enumerate(((X, X), (X, P), (P, X), (P, P))):
        added[t] = a @ b.T
    return added, added[[0, 3]]
