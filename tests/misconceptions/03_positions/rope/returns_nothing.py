# expect: reject
# hint: apply_rotary returns nothing: is a `return` missing?
# keeps: rotary_angles
def rotary_angles(length, d, base=10000.0, device=None):
    speed = base ** (-torch.arange(0, d, 2, device=device).float() / d)
    return torch.outer(torch.arange(length, device=device).float(), speed)


def apply_rotary(x, angles):
    angles = angles[: x.shape[2]]
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x[..., 0::2].clone(), x[..., 1::2].clone()
    x[..., 0::2], x[..., 1::2] = a * cos - b * sin, a * sin + b * cos
