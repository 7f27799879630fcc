# expect: reject
# hint: every hand turns by its own speed: the angle of block m is ω_m k
# keeps: sinusoid
def sinusoid(T, d, base=10000.0):
    angle = torch.arange(T)[:, None] * base ** (-torch.arange(0, d, 2) / d)
    return torch.stack([angle.sin(), angle.cos()], 2).reshape(T, d)


def shift_matrix(k, d, base=10000.0):
    block = torch.tensor([[math.cos(k), math.sin(k)], [-math.sin(k), math.cos(k)]])
    return torch.block_diag(*[block] * (d // 2))
