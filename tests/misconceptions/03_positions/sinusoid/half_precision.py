# expect: reject
# hint: speeds in 16 bits are too coarse: far places turn by wrong angles
# keeps: shift_matrix
def sinusoid(T, d, base=10000.0):
    speed = (base ** (-torch.arange(0, d, 2) / d)).bfloat16().float()
    angle = torch.arange(T)[:, None] * speed
    return torch.stack([angle.sin(), angle.cos()], 2).reshape(T, d)


def shift_matrix(k, d, base=10000.0):
    turn = k * base ** (-torch.arange(0, d, 2) / d)
    return torch.block_diag(*[torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]) for a in turn.tolist()])
