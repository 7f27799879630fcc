# expect: accept
def score_terms(X, P):
    n = len(X)
    added = torch.zeros(4, n, n, dtype=X.dtype)
    for i in range(n):
        for j in range(n):
            for t, (a, b) in enumerate(((X, X), (X, P), (P, X), (P, P))):
                added[t, i, j] = a[i].dot(b[j])
    return added, added[::3]
