# expect: reject
# hint: a column that is much shorter than others is a direction like any other: cut off none
def projector(A: torch.Tensor) -> torch.Tensor:
    U, S, _ = torch.linalg.svd(A, full_matrices=False)
    U = U[:, S > 1e-4 * S[0]]
    return U @ U.T
