# expect: reject
# hint: nothing is moved to a fixed device: compute where x and the angles are
# keeps: rotary_angles
def rotary_angles(length, d, base=10000.0, device=None):
    speeds = base ** (-torch.arange(0, d, 2, device=device, dtype=torch.float32) / d)
    return torch.arange(length, device=device, dtype=torch.float32)[:, None] * speeds

def apply_rotary(x, angles):
    angles = angles[: x.shape[2]]
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    cos, sin = torch.tensor(cos.tolist(), dtype=x.dtype), torch.tensor(sin.tolist(), dtype=x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
