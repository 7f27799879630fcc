# expect: reject
# hint: the vectors are sines and cosines as they are, without a factor
# keeps: shift_matrix
def sinusoid(T, d, base=10000.0):
    angle = torch.arange(T)[:, None] * base ** (-torch.arange(0, d, 2) / d)
    return torch.stack([angle.sin(), angle.cos()], 2).reshape(T, d) * (2 / d) ** 0.5


def shift_matrix(k, d, base=10000.0):
    turn = k * base ** (-torch.arange(0, d, 2) / d)
    return torch.block_diag(*[torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]) for a in turn.tolist()])
