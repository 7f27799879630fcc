# expect: reject
# hint: take the absolute value of each difference first: a large negative one counts too
def order_gap(X: Tensor, P: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, order: Tensor) -> float:
    """How much the order of the words matters to ``attend``.

    Args:
        X: words (n, d). P: positions (n, d), row i for place i.
        W_q, W_k, W_v: weights (d, e).
        order: whole numbers (n,), a permutation; word order[i] moves to place i.

    Returns:
        The largest absolute difference between shuffling the words before, and shuffling the outputs after.
    """
    shuffled_first = attend(X[order] + P, W_q, W_k, W_v)
    shuffled_last = attend(X + P, W_q, W_k, W_v)[order]
    return (shuffled_first - shuffled_last).max().item()
