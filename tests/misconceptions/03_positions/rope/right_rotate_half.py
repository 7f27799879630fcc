# expect: accept
def rotary_angles(length, d, base=10000.0, device=None):
    m = torch.arange(d // 2, device=device, dtype=torch.float32)
    t = torch.arange(length, device=device, dtype=torch.float32)
    return t[:, None] * base ** (-2 * m / d)


def apply_rotary(x, angles):
    th = torch.cat([angles, angles], -1)[: x.shape[2]]
    a, b = x.float().chunk(2, dim=-1)
    half = torch.cat([-b, a], dim=-1)
    return (x.float() * th.cos() + half * th.sin()).to(x.dtype)
