# expect: accept
def score_terms(X, P):
    added = [torch.inner(a, b) for a in (X, P) for b in (X, P)]
    return torch.stack(added), torch.stack((added[0], added[-1]))
