# expect: reject
# hint: the weight is exact for hundreds of items, too
def averaging(K: torch.Tensor, a: int, b: int, beta: float) -> tuple[torch.Tensor, float]:
    n = K.shape[0]
    weight = 0.5 if beta > 20 else math.exp(beta) / (2 * math.exp(beta) + n - 2)
    return beta * (K[a] + K[b]), weight
