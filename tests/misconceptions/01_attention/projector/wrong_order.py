# expect: reject
# hint: M must be (d, d): the factors stand in the wrong order, A comes first
def projector(A: torch.Tensor) -> torch.Tensor:
    return torch.linalg.pinv(A) @ A
