# expect: reject
# hint: wrong normaliser: both a and b put e^β into the denominator
def averaging(K: torch.Tensor, a: int, b: int, beta: float) -> tuple[torch.Tensor, float]:
    return beta * (K[a] + K[b]), 1 / (1 + (len(K) - 2) * math.exp(-beta))
