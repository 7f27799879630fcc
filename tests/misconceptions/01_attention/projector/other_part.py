# expect: reject
# hint: leave every vector of A
def projector(A: torch.Tensor) -> torch.Tensor:
    return torch.eye(A.shape[0], dtype=A.dtype) - A @ torch.linalg.pinv(A)
