# expect: reject
# hint: β = 1,000 must not overflow: divide numerator and denominator by e^β
def averaging(K: torch.Tensor, a: int, b: int, beta: float) -> tuple[torch.Tensor, float]:
    n = len(K)
    return beta * (K[a] + K[b]), math.exp(beta) / (2 * math.exp(beta) + n - 2)
