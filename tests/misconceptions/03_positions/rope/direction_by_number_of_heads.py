# expect: reject
# hint: the direction of the turn must be one for any number of heads: change no sign with the shape of x
# keeps: rotary_angles
def rotary_angles(length, d, base=10000.0, device=None):
    t = torch.arange(length, device=device, dtype=torch.float32)
    w = base ** (-torch.arange(0, d, 2, device=device, dtype=torch.float32) / d)
    return t[:, None] * w


def apply_rotary(x, angles):
    angles = angles[: x.shape[2]]
    c, s = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    if x.shape[1] > 1:
        s = -s
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)
