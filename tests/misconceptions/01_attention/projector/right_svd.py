# expect: accept
def projector(A: torch.Tensor) -> torch.Tensor:
    U, _, _ = torch.linalg.svd(A, full_matrices=False)
    return torch.einsum("dk,ek->de", U, U)
