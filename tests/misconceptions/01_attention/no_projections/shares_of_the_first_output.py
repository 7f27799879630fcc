# expect: reject
# hint: the shares are the coefficients of c_2, the second output
def no_projections(U: torch.Tensor, s: float, t: float) -> tuple[torch.Tensor, torch.Tensor]:
    u_a, u_b, u_c, u_d = U
    X = torch.stack([u_d + u_b, u_a + s * u_d + t * u_c, u_c + u_b])
    C = (X @ X.T).softmax(-1) @ X
    shares = U @ C[0] / (u_a @ u_a)
    return C, shares
