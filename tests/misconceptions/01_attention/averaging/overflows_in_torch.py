# expect: reject
# hint: β = 1,000 must not overflow: divide numerator and denominator by e^β
def averaging(K: torch.Tensor, a: int, b: int, beta: float) -> tuple[torch.Tensor, float]:
    power = torch.exp(torch.tensor(beta, dtype=torch.float64))
    return beta * (K[a] + K[b]), power / (2 * power + len(K) - 2)
