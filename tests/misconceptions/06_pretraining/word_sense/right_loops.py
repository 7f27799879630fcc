# expect: accept
def nearest(vector: Tensor, table: Tensor, k: int) -> list[int]:
    """The k rows of ``table`` (V, D) with the largest cosine to ``vector`` (D,), best first, as row numbers."""
    scores = [float(row @ vector / (row.norm() * vector.norm())) for row in table]
    return sorted(range(len(scores)), key=lambda i: -scores[i])[:k]


def same_sense(states: Tensor, senses: Tensor, k: int) -> float:
    """Mean share (0..1) of the k nearest other states, by cosine, that have the same sense.

    Args:
        states: (N, D), N > k. senses: int64 (N,).
    """
    hits = []
    for i in range(len(states)):
        near = [j for j in nearest(states[i], states, k + 1) if j != i][:k]
        hits += [float(senses[j] == senses[i]) for j in near]
    return sum(hits) / len(hits)
