# expect: reject
# hint: stack the terms into one tensor each, (4, n, n) and (2, n, n)
def score_terms(X, P):
    added = [X @ X.T, X @ P.T, P @ X.T, P @ P.T]
    return added, [added[0], added[3]]
