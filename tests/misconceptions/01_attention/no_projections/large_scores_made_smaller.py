# expect: reject
# hint: scores of 10,000 that differ by 1
def no_projections(U: torch.Tensor, s: float, t: float) -> tuple[torch.Tensor, torch.Tensor]:
    u_a, u_b, u_c, u_d = U
    X = torch.stack([u_d + u_b, u_a + s * u_d + t * u_c, u_c + u_b])
    C = (X @ X.T / max(1.0, float(u_a.norm()) / 50)).softmax(-1) @ X
    shares = U @ C[1] / (u_a @ u_a)
    return C, shares
