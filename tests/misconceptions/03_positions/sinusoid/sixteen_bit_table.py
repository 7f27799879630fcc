# expect: reject
# hint: 16 bits are too few: the numbers need the digits of 32-bit ones
# keeps: shift_matrix
def sinusoid(T: int, d: int, base: float = 10000.0) -> Tensor:
    w = base ** (-torch.arange(0, d, 2) / d)
    a = torch.arange(T)[:, None] * w
    p = torch.zeros(T, d)
    p[:, 0::2], p[:, 1::2] = a.sin(), a.cos()
    return p.half().float()


def shift_matrix(k: int, d: int, base: float = 10000.0) -> Tensor:
    w = base ** (-torch.arange(0, d, 2) / d)
    R = torch.zeros(d, d)
    for m, b in enumerate((k * w).tolist()):
        R[2 * m, 2 * m] = R[2 * m + 1, 2 * m + 1] = math.cos(b)
        R[2 * m, 2 * m + 1], R[2 * m + 1, 2 * m] = math.sin(b), -math.sin(b)
    return R
