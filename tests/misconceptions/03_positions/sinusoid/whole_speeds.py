# expect: reject
# hint: the speeds are no whole numbers: make the arange a floating-point one before the power
# keeps: shift_matrix
def sinusoid(T, d, base=10000.0):
    speed = torch.tensor([base ** -(c // d) for c in range(0, d, 2)])
    angle = torch.arange(T)[:, None] * speed
    return torch.stack([angle.sin(), angle.cos()], 2).reshape(T, d)


def shift_matrix(k, d, base=10000.0):
    turn = k * base ** (-torch.arange(0, d, 2) / d)
    return torch.block_diag(*[torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]) for a in turn.tolist()])
