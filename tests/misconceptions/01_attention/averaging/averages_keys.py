# expect: reject
# hint: averaging the keys halves them
def averaging(K: torch.Tensor, a: int, b: int, beta: float) -> tuple[torch.Tensor, float]:
    return beta * (K[a] + K[b]) / 2, 1 / (2 + (len(K) - 2) * math.exp(-beta))
