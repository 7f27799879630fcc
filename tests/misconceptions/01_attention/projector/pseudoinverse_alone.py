# expect: reject
# hint: gives its m coordinates
def projector(A: torch.Tensor) -> torch.Tensor:
    return torch.linalg.pinv(A)
