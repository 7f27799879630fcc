# expect: reject
# hint: 16 bits are too few
# keeps: shift_matrix
def sinusoid(T: int, d: int, base: float = 10000.0) -> Tensor:
    a = torch.arange(T)[:, None] * base ** (-torch.arange(0, d, 2) / d)
    return torch.stack([a.sin(), a.cos()], -1).flatten(1).round(decimals=4)

def shift_matrix(k: int, d: int, base: float = 10000.0) -> Tensor:
    b = k * base ** (-torch.arange(0, d, 2) / d)
    R = torch.zeros(d, d)
    i = torch.arange(0, d, 2)
    R[i, i] = R[i + 1, i + 1] = b.cos()
    R[i, i + 1], R[i + 1, i] = b.sin(), -b.sin()
    return R
