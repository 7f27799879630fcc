# expect: reject
# hint: gives its m coordinates
def projector(A: torch.Tensor) -> torch.Tensor:
    return A.T
