# expect: reject
# hint: the exponent is too small: it is −2m/d with m = 0 … d/2 − 1, not −m/d
# keeps: shift_matrix
def sinusoid(T: int, d: int, base: float = 10000.0) -> Tensor:
    """Sinusoidal positions (T, d), d even: sine in the even columns, cosine in the odd ones, places from 0."""
    speed = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / (2 * d))  # (d/2,)
    angle = torch.arange(T, dtype=torch.float64)[:, None] * speed  # (T, 1) * (d/2,) -> (T, d/2)
    p = torch.empty(T, d)
    p[:, 0::2], p[:, 1::2] = angle.sin(), angle.cos()
    return p


def shift_matrix(k: int, d: int, base: float = 10000.0) -> Tensor:
    """A matrix R (d, d) with R @ sinusoid(T, d, base)[i] = sinusoid(T, d, base)[i + k] for all i."""
    R = torch.zeros(d, d)
    for m in range(d // 2):
        turn = k * base ** (-2 * m / d)
        block = [[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]]
        R[2 * m : 2 * m + 2, 2 * m : 2 * m + 2] = torch.tensor(block)
    return R
