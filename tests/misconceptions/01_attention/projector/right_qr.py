# expect: accept
def projector(A: torch.Tensor) -> torch.Tensor:
    Q, _ = torch.linalg.qr(A)
    return Q @ Q.T
