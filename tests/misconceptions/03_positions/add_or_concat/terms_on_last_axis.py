# expect: reject
# hint: stand on the last axis
def score_terms(X, P):
    ww = X @ X.T
    wp = X @ P.T
    pw = P @ X.T
    pp = P @ P.T
    return torch.stack([ww, wp, pw, pp],-1), torch.stack([ww, pp],-1)
