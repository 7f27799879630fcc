# expect: accept
def score_terms(X, P):
    left, right = torch.stack([X, X, P, P]), torch.stack([X, P, X, P])
    added = (left[:, :, None] * right[:, None]).sum(-1)  # (4, n, 1, d) * (4, 1, n, d) -> (4, n, n)
    return [added, added.index_select(0, torch.tensor([0, 3]))]
