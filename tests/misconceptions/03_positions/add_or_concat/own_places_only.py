# expect: reject
# hint: each term needs one entry per pair of places, shape (n, n)
def score_terms(X: Tensor, P: Tensor) -> tuple[Tensor, Tensor]:
    terms = [(X * X).sum(1), (X * P).sum(1), (P * X).sum(1), (P * P).sum(1)]
    return torch.stack(terms), torch.stack([terms[0], terms[3]])
