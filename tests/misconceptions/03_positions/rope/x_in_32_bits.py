# expect: reject
# hint: 64-bit queries were turned into 32-bit ones on the way: place 0 no longer stays as it is
def rotary_angles(length, d, base=10000.0, device=None):
    w = base ** (-torch.arange(0, d, 2, device=device, dtype=torch.float32) / d)
    return torch.arange(length, device=device, dtype=torch.float32)[:, None] * w


def apply_rotary(x, angles):
    angles = angles[: x.shape[2]]
    c, s = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    x0 = x; a, b, c, s = (z.float() for z in (a, b, c, s))
    return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2).to(x0.dtype)
