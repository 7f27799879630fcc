# expect: reject
# hint: it works from place 0 only: R_k must move every place i to i + k, one matrix for all
# keeps: sinusoid
def sinusoid(T: int, d: int, base: float = 10000.0) -> Tensor:
    """Sinusoidal positions (T, d), d even: sine in the even columns, cosine in the odd ones, places from 0."""
    speed = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)  # (d/2,)
    angle = torch.arange(T, dtype=torch.float64)[:, None] * speed  # (T, 1) * (d/2,) -> (T, d/2)
    p = torch.empty(T, d)
    p[:, 0::2], p[:, 1::2] = angle.sin(), angle.cos()
    return p



def shift_matrix(k: int, d: int, base: float = 10000.0) -> Tensor:
    p = sinusoid(abs(k) + 1, d, base)
    target = p[k] if k >= 0 else p[-k] * torch.tensor([-1.0, 1.0]).repeat(d // 2)
    return torch.outer(target, p[0]) / (p[0] @ p[0])
