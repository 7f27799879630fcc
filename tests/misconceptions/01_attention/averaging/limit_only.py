# expect: reject
# hint: ½ is only the limit: give the exact weight, with what leaks to the other items
def averaging(K: torch.Tensor, a: int, b: int, beta: float) -> tuple[torch.Tensor, float]:
    return beta * (K[a] + K[b]), 0.5
