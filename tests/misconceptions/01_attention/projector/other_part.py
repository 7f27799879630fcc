# expect: reject
# hint: this M keeps v_b and removes v_a: it is the identity minus the matrix you want
def projector(A: torch.Tensor) -> torch.Tensor:
    return torch.eye(A.shape[0], dtype=A.dtype) - A @ torch.linalg.pinv(A)
