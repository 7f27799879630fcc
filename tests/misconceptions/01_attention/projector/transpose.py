# expect: reject
# hint: M s must be a vector of ℝᵈ: Aᵀ (or the pseudoinverse alone) gives its m coordinates in A; the basis must turn them back into a vector
def projector(A: torch.Tensor) -> torch.Tensor:
    return A.T
