# expect: reject
# hint: one entry per pair
def score_terms(X: Tensor, P: Tensor) -> tuple[Tensor, Tensor]:
    terms = [(X * X).sum(1), (X * P).sum(1), (P * X).sum(1), (P * P).sum(1)]
    return torch.stack(terms), torch.stack([terms[0], terms[3]])
