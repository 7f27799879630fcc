# expect: reject
# hint: columns of length 1 are not enough: they are not orthogonal to each other either
def projector(A: torch.Tensor) -> torch.Tensor:
    return sum(torch.outer(a, a) / (a @ a) for a in A.T)
