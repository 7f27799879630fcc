# expect: reject
# hint: brings back the whole sum
def projector(A: torch.Tensor) -> torch.Tensor:
    return torch.eye(A.shape[0], dtype=A.dtype)
