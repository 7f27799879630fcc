# expect: reject
# hint: A Aᵀ is the right matrix only for orthonormal columns; here lengths and angles of the columns must be divided out
def projector(A: torch.Tensor) -> torch.Tensor:
    return A @ A.T
