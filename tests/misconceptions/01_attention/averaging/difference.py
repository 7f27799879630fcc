# expect: reject
# hint: the scores must be β for a and b, and 0 for the others
def averaging(K: torch.Tensor, a: int, b: int, beta: float) -> tuple[torch.Tensor, float]:
    return beta * (K[a] - K[b]), 1 / (2 + (len(K) - 2) * math.exp(-beta))
