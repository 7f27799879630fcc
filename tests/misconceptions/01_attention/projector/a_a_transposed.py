# expect: reject
# hint: only for orthonormal columns
def projector(A: torch.Tensor) -> torch.Tensor:
    return A @ A.T
