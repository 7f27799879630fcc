# expect: reject
# hint: wrong normaliser: two items, a and b, are taken out of the n, not one
def averaging(K: torch.Tensor, a: int, b: int, beta: float) -> tuple[torch.Tensor, float]:
    return beta * (K[a] + K[b]), 1 / (2 + (len(K) - 1) * math.exp(-beta))
