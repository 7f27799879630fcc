# expect: accept
def projector(A: torch.Tensor) -> torch.Tensor:
    return A @ torch.linalg.inv(A.T @ A) @ A.T
