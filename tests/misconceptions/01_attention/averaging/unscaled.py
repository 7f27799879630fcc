# expect: reject
# hint: the query does not grow with β: scale it
def averaging(K: torch.Tensor, a: int, b: int, beta: float) -> tuple[torch.Tensor, float]:
    return (K[a] + K[b]) / 2, 1 / (2 + (len(K) - 2) * math.exp(-beta))
