# expect: reject
# hint: A table kept by T and d alone is wrong for another base: compute it in each call.
# keeps: shift_matrix
_tables = {}


def sinusoid(T: int, d: int, base: float = 10000.0) -> Tensor:
    if (T, d) in _tables:
        return _tables[T, d].clone()
    speeds = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    angles = torch.arange(T, dtype=torch.float64)[:, None] * speeds
    P = torch.zeros(T, d, dtype=torch.float64)
    P[:, 0::2], P[:, 1::2] = angles.sin(), angles.cos()
    _tables[T, d] = P
    return P.clone()


def shift_matrix(k: int, d: int, base: float = 10000.0) -> Tensor:
    b = k * base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    R = torch.zeros(d, d, dtype=torch.float64)
    for m in range(d // 2):
        c, s = b[m].cos(), b[m].sin()
        R[2 * m, 2 * m], R[2 * m, 2 * m + 1] = c, s
        R[2 * m + 1, 2 * m], R[2 * m + 1, 2 * m + 1] = -s, c
    return R
