# expect: accept
def score_terms(X, P):
    Z = torch.stack([X, P])
    every = torch.einsum("aid,bjd->abij", Z, Z)
    return every.reshape(4, len(X), len(X)), torch.stack([every[0, 0], every[1, 1]])  # (2, 2, n, n) -> (4, n, n)
