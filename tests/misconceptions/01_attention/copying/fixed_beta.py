# expect: reject
# hint: the same for another n and ε
def copying(K: torch.Tensor, j: int, eps: float) -> torch.Tensor:
    return 20.0 * K[j]
