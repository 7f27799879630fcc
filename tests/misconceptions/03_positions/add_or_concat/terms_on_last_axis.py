# expect: reject
# hint: the terms stand on the last axis: stack them on the first one, (4, n, n), entry [t, i, j] is term t
def score_terms(X, P):
    ww = X @ X.T
    wp = X @ P.T
    pw = P @ X.T
    pp = P @ P.T
    return torch.stack([ww, wp, pw, pp],-1), torch.stack([ww, pp],-1)
