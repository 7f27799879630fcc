# expect: accept
def sinusoid(T: int, d: int, base: float = 10000.0) -> Tensor:
    angle = torch.arange(T)[:, None] * base ** (-torch.arange(0, d, 2) / d)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


def shift_matrix(k: int, d: int, base: float = 10000.0) -> Tensor:
    b = k * base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    c, s = b.cos(), b.sin()
    blocks = torch.stack([torch.stack([c, s], -1), torch.stack([-s, c], -1)], -2)
    return torch.block_diag(*blocks)
