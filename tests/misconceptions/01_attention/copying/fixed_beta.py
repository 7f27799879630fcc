# expect: reject
# hint: β is the same for another n and ε: compute it from them, no fixed number is right everywhere
def copying(K: torch.Tensor, j: int, eps: float) -> torch.Tensor:
    return 20.0 * K[j]
