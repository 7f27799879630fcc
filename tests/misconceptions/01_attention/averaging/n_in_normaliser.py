# expect: reject
# hint: only n − 2 items
def averaging(K: torch.Tensor, a: int, b: int, beta: float) -> tuple[torch.Tensor, float]:
    return beta * (K[a] + K[b]), 1 / (2 + len(K) * math.exp(-beta))
