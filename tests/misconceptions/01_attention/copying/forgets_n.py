# expect: reject
# hint: you forgot the n − 1 other items
def copying(K: torch.Tensor, j: int, eps: float) -> torch.Tensor:
    return math.log((1 - eps) / eps) * K[j]
