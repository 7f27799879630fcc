# expect: accept
def averaging(K: torch.Tensor, a: int, b: int, beta: float) -> tuple[torch.Tensor, float]:
    return beta * K[a] + beta * K[b], 1 / (2 + (len(K) - 2) * math.exp(-beta))
