# expect: accept
def copying(K: torch.Tensor, j: int, eps: float) -> torch.Tensor:
    return (math.log1p(-eps) - math.log(eps) + math.log(len(K) - 1)) * K[j]
