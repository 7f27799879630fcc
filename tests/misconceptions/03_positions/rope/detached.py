# expect: reject
# hint: gradients flow back to x: no .detach() and no .data on the way
# keeps: rotary_angles
def rotary_angles(length, d, base=10000.0, device=None):
    return torch.arange(length, device=device).float()[:, None] * base ** (-torch.arange(0, d, 2, device=device).float() / d)


def apply_rotary(x, angles):
    cos, sin = angles[: x.shape[2]].cos().to(x.dtype), angles[: x.shape[2]].sin().to(x.dtype)
    a, b = x.detach()[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)
