# expect: reject
# hint: α_j is not 1 − ε: solve e^β / (e^β + n − 1) = 1 − ε for β; more than that is not the smallest norm
def copying(K: torch.Tensor, j: int, eps: float) -> torch.Tensor:
    return (1 + math.log((1 - eps) * (len(K) - 1) / eps)) * K[j]
