# expect: reject
# hint: return the query, a vector of shape (d,): β times the key, not β alone
def copying(K: torch.Tensor, j: int, eps: float) -> torch.Tensor:
    return torch.tensor(math.log((1 - eps) * (len(K) - 1) / eps))
