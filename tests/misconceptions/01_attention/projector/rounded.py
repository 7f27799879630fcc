# expect: reject
# hint: M is right to all digits of its numbers: do not round it
def projector(A: torch.Tensor) -> torch.Tensor:
    M = A @ torch.linalg.inv(A.T @ A) @ A.T
    return M.round(decimals=6)
