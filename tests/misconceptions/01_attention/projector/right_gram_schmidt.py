# expect: accept
def projector(A: torch.Tensor) -> torch.Tensor:
    M = torch.zeros(A.shape[0], A.shape[0], dtype=A.dtype)
    for a in A.T:
        a = a - M @ a
        M = M + torch.outer(a, a) / (a @ a)
    return M
