# expect: reject
# hint: take one way of pairing in training and out of it: it must not hang on whether gradients are asked for
# keeps: rotary_angles
def rotary_angles(length, d, base=10000.0, device=None):
    t = torch.arange(length, device=device, dtype=torch.float32)
    w = base ** (-torch.arange(0, d, 2, device=device, dtype=torch.float32) / d)
    return t[:, None] * w


def apply_rotary(x, angles):
    angles = angles[: x.shape[2]]
    c, s = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    if x.requires_grad:
        a, b = x.chunk(2, -1)
        return torch.cat([a * c - b * s, b * c + a * s], -1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)
