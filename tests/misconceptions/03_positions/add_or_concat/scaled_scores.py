# expect: reject
# hint: nothing is divided by √d here: return the plain products
def score_terms(X, P):
    X, P = X / X.shape[1] ** 0.25, P / X.shape[1] ** 0.25
    ww = X @ X.T
    wp = X @ P.T
    pw = P @ X.T
    pp = P @ P.T
    return torch.stack([ww, wp, pw, pp]), torch.stack([ww, pp])
