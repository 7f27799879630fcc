# expect: reject
# hint: row l stands at place l: places are not counted from the end
# keeps: rotary_angles
def rotary_angles(length, d, base=10000.0, device=None):
    return torch.arange(length, device=device).float()[:, None] * base ** (-torch.arange(0, d, 2, device=device).float() / d)


def apply_rotary(x, angles):
    angles = angles[: x.shape[2]].flip(0)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)
