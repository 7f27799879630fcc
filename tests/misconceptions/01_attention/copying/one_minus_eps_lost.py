# expect: reject
# hint: the factor 1 − ε is lost: solve the equation for α_j exactly
def copying(K: torch.Tensor, j: int, eps: float) -> torch.Tensor:
    return math.log((len(K) - 1) / eps) * K[j]
