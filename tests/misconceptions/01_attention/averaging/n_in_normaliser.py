# expect: reject
# hint: wrong normaliser: n counts a and b too, so only n − 2 items have e^0 in the denominator
def averaging(K: torch.Tensor, a: int, b: int, beta: float) -> tuple[torch.Tensor, float]:
    return beta * (K[a] + K[b]), 1 / (2 + len(K) * math.exp(-beta))
