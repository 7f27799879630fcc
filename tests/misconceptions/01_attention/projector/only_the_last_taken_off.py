# expect: reject
# hint: Gram-Schmidt takes off the parts along ALL earlier vectors, not the last one alone: with three columns or more the others are left in.
def projector(A: torch.Tensor) -> torch.Tensor:
    """..."""
    pass
    Q = []
    for j in range(A.shape[1]):
        v = A[:, j].clone()
        for q in Q:
            v = v - (Q[-1] @ v) * Q[-1]
        q = v / v.norm()
        Q.append(q)
    Q = torch.stack(Q, 1)
    return (Q @ Q.T).to(A.dtype)
