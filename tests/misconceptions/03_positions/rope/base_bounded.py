# expect: reject
# hint: base may be any size: do not bound it
# keeps: apply_rotary
def rotary_angles(length, d, base=10000.0, device=None):
    speed = min(base, 1e6) ** (-torch.arange(0, d, 2, device=device, dtype=torch.float32) / d)
    return torch.outer(torch.arange(length, device=device, dtype=torch.float32), speed)


def apply_rotary(x, angles):
    angles = angles[: x.shape[2]]
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
