# expect: reject
# hint: you forgot the n − 1 other items: each of them adds e^0 = 1 to the denominator
def copying(K: torch.Tensor, j: int, eps: float) -> torch.Tensor:
    return math.log((1 - eps) / eps) * K[j]
