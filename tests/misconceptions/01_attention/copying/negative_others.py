# expect: reject
# hint: multiple of k_j alone
def copying(K: torch.Tensor, j: int, eps: float) -> torch.Tensor:
    beta = math.log((1 - eps) * (len(K) - 1) / eps)
    return -beta * (K.sum(0) - K[j])
