# expect: reject
# hint: n − 1 other items share the rest, not n: item j itself is counted apart
def copying(K: torch.Tensor, j: int, eps: float) -> torch.Tensor:
    return math.log((1 - eps) * len(K) / eps) * K[j]
