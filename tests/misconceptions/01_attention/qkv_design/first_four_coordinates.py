# expect: reject
# hint: may lie along any of the axes
def qkv_design(U: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    u_a, u_b, u_c, u_d = U
    b2 = u_a @ u_a
    d = U.shape[1]
    Q = torch.stack([u_d, 0 * u_a, 0 * u_a, u_c], 1) @ torch.linalg.inv(U[:, :4].T) if d == 4 else torch.nn.functional.pad(torch.stack([u_d, 0 * u_a, 0 * u_a, u_c], 1) @ torch.linalg.pinv(U[:, :4].T), (0, d - 4))
    K = torch.eye(d)
    V = (torch.outer(u_b, u_b) - torch.outer(u_c, u_c)) / b2
    return Q, K, V
