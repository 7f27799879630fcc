# expect: reject
# hint: all heads turn to the same side
# keeps: rotary_angles
def rotary_angles(length, d, base=10000.0, device=None):
    return torch.arange(length, device=device).float()[:, None] * base ** (-torch.arange(0, d, 2, device=device).float() / d)


def apply_rotary(x, angles):
    angles = angles[: x.shape[2]]
    sign = (1 - 2 * (torch.arange(x.shape[1], device=x.device) % 2))[:, None, None]
    cos, sin = angles.cos().to(x.dtype), (sign * angles.sin()).to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)
