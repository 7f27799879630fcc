# expect: accept
def copying(K: torch.Tensor, j: int, eps: float) -> torch.Tensor:
    n = K.shape[0]
    beta = torch.logit(torch.tensor(1 - eps, dtype=torch.float64)) + math.log(n - 1)
    one_hot = torch.zeros(n, dtype=K.dtype)
    one_hot[j] = beta
    return one_hot @ K
