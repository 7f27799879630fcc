# expect: reject
# hint: the query must be a multiple of k_j alone: no other key takes part, and no negative scores are needed
def copying(K: torch.Tensor, j: int, eps: float) -> torch.Tensor:
    beta = math.log((1 - eps) * (len(K) - 1) / eps)
    return -beta * (K.sum(0) - K[j])
