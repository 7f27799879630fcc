# expect: reject
# hint: the mean over all states of the share of the k nearest others that have the same sense
# keeps: nearest
def nearest(vector: Tensor, table: Tensor, k: int) -> list[int]:
    """The k rows of ``table`` (V, D) with the largest cosine to ``vector`` (D,), best first, as row numbers."""
    return F.cosine_similarity(table, vector[None], dim=-1).topk(k).indices.tolist()  # (V,) -> k numbers


def same_sense(states: Tensor, senses: Tensor, k: int) -> float:
    """Mean share (0..1) of the k nearest other states, by cosine, that have the same sense.

    Args:
        states: (N, D), N > k. senses: int64 (N,).
    """
    directions = F.normalize(states, dim=-1)
    cosines = directions @ directions.T  # (N, D) @ (D, N) -> (N, N)
    neighbours = cosines.fill_diagonal_(-2).topk(k, dim=-1).indices  # (N, N) -> (N, k)
    return (senses[neighbours] == senses[:, None]).float().sum().item()
