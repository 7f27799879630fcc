# expect: accept
def copying(K: torch.Tensor, j: int, eps: float) -> torch.Tensor:
    n, low, high = len(K), 0.0, 60.0
    for _ in range(80):
        middle = (low + high) / 2
        if 1 / (1 + (n - 1) * math.exp(-middle)) < 1 - eps:
            low = middle
        else:
            high = middle
    return high * K[j]
