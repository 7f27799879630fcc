# expect: reject
# hint: all texts of the batch are turned, not the first alone
# keeps: rotary_angles
def rotary_angles(length, d, base=10000.0, device=None):
    return torch.arange(length, device=device).float()[:, None] * base ** (-torch.arange(0, d, 2, device=device).float() / d)


def apply_rotary(x, angles):
    cos, sin = angles[: x.shape[2]].cos().to(x.dtype), angles[: x.shape[2]].sin().to(x.dtype)
    y = x.clone()
    a, b = x[:1, :, :, 0::2], x[:1, :, :, 1::2]
    y[:1] = torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)
    return y
