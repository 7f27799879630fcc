# expect: reject
# hint: the speeds need float32 too: those of 16 bits are wrong by a thousandth, and far places by whole turns
# keeps: apply_rotary
def rotary_angles(length, d, base=10000.0, device=None):
    speed = (base ** (-torch.arange(0, d, 2, device=device).float() / d)).half().float()
    return torch.arange(length, device=device).float()[:, None] * speed


def apply_rotary(x, angles):
    cos, sin = angles[: x.shape[2]].cos().to(x.dtype), angles[: x.shape[2]].sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)
