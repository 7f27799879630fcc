# expect: reject
# hint: a pair is (2m, 2m + 1) or (m, m + d/2), not the first coordinate with the last
# keeps: rotary_angles
def rotary_angles(length, d, base=10000.0, device=None):
    return torch.arange(length, device=device).float()[:, None] * base ** (-torch.arange(0, d, 2, device=device).float() / d)


def apply_rotary(x, angles):
    angles = angles[: x.shape[2]]
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    half = x.shape[-1] // 2
    a, b = x[..., :half], x[..., half:].flip(-1)
    return torch.cat([a * cos - b * sin, (a * sin + b * cos).flip(-1)], -1)
