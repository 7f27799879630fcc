# expect: reject
# hint: Only the first two columns of A are used: a basis may have any number of them.
def projector(A: torch.Tensor) -> torch.Tensor:
    """..."""
    q1 = A[:, 0] / A[:, 0].norm()
    Q = [q1]
    if A.shape[1] > 1:
        v = A[:, 1] - (q1 @ A[:, 1]) * q1
        Q.append(v / v.norm())
    Q = torch.stack(Q, 1)
    return Q @ Q.T
