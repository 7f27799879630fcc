# expect: reject
# hint: M must send what is orthogonal to A to zero: the identity brings back the whole sum
def projector(A: torch.Tensor) -> torch.Tensor:
    return torch.eye(A.shape[0], dtype=A.dtype)
