# expect: reject
# hint: the factor 1 − ε is lost
def copying(K: torch.Tensor, j: int, eps: float) -> torch.Tensor:
    return math.log((len(K) - 1) / eps) * K[j]
