# expect: reject
# hint: the rows of U are u_a, u_b, u_c, u_d in this order
def no_projections(U: torch.Tensor, s: float, t: float) -> tuple[torch.Tensor, torch.Tensor]:
    u_a, u_b, u_d, u_c = U
    X = torch.stack([u_d + u_b, u_a + s * u_d + t * u_c, u_c + u_b])
    C = (X @ X.T).softmax(-1) @ X
    shares = U @ C[1] / (u_a @ u_a)
    return C, shares
