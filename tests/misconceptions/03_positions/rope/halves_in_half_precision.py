# expect: reject
# hint: take one way for all number types: halves in 16 bits and neighbours in 32 bits do not fit together
# keeps: rotary_angles
def rotary_angles(length, d, base=10000.0, device=None):
    t = torch.arange(length, device=device, dtype=torch.float32)
    w = base ** (-torch.arange(0, d, 2, device=device, dtype=torch.float32) / d)
    return t[:, None] * w


def apply_rotary(x, angles):
    angles = angles[: x.shape[2]]
    c, s = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    if x.dtype in (torch.bfloat16, torch.float16):
        a, b = x.chunk(2, -1)
        return torch.cat([a * c - b * s, b * c + a * s], -1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)
