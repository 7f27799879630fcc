# expect: reject
# hint: a hundred places and more
def score_terms(X, P):
    wp, pw = X @ P.T, P @ X.T
    if len(X) > 128:
        wp = pw = (wp + pw) / 2
    return torch.stack([X @ X.T, wp, pw, P @ P.T]), torch.stack([X @ X.T, P @ P.T])
