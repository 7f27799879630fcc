# expect: reject
# hint: the factors stand in the wrong order
def projector(A: torch.Tensor) -> torch.Tensor:
    return torch.linalg.pinv(A) @ A
