# expect: reject
# hint: place 0 has the angle 0: it stays as it is, to the last digit
# keeps: rotary_angles
def rotary_angles(length, d, base=10000.0, device=None):
    w = base ** (-torch.arange(0, d, 2, device=device, dtype=torch.float32) / d)
    return torch.arange(length, device=device, dtype=torch.float32)[:, None] * w


def apply_rotary(x, angles):
    angles = angles[: x.shape[2]]
    angles = angles + 1e-6
    c, s = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)
