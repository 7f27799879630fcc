# expect: reject
# hint: the exponent is −2m/d: divide by d, so that the slowest hand does not reach 1/base
# keeps: shift_matrix
def sinusoid(T, d, base=10000.0):
    speed = base ** (-torch.arange(0, d, 2) / max(d - 2, 1))
    angle = torch.arange(T)[:, None] * speed
    return torch.stack([angle.sin(), angle.cos()], 2).reshape(T, d)


def shift_matrix(k, d, base=10000.0):
    turn = k * base ** (-torch.arange(0, d, 2) / d)
    return torch.block_diag(*[torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]) for a in turn.tolist()])
