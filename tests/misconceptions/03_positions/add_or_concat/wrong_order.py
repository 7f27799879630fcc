# expect: reject
# hint: term 3 is position of i times position of j
def score_terms(X: Tensor, P: Tensor) -> tuple[Tensor, Tensor]:
    """Terms of all scores between n places, for added and for concatenated positions.

    Args:
        X: words (n, d). P: positions (n, d).

    Returns:
        added: (4, n, n), entry [t, i, j] is term t of (x_i + p_i)·(x_j + p_j).
        joined: (2, n, n), entry [t, i, j] is term t of [x_i; p_i]·[x_j; p_j].
    """
    words, places = X @ X.T, P @ P.T  # (n, d) @ (d, n) -> (n, n)
    mixed = X @ P.T
    return torch.stack([words, mixed, places, mixed.T]), torch.stack([words, places])
