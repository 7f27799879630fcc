# expect: reject
# hint: divide by the squared length of the u's of this case: it need not be 4
def no_projections(U: torch.Tensor, s: float, t: float) -> tuple[torch.Tensor, torch.Tensor]:
    u_a, u_b, u_c, u_d = U
    X = torch.stack([u_d + u_b, u_a + s * u_d + t * u_c, u_c + u_b])
    C = (X @ X.T).softmax(-1) @ X
    shares = U @ C[1] / 16.0
    return C, shares
