# expect: reject
# hint: the scores are β/2: averaging the keys halves them; add the two keys instead
def averaging(K: torch.Tensor, a: int, b: int, beta: float) -> tuple[torch.Tensor, float]:
    return beta * (K[a] + K[b]) / 2, 1 / (2 + (len(K) - 2) * math.exp(-beta))
