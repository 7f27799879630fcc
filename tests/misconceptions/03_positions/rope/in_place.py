# expect: reject
# hint: you changed x: write the turned numbers into a new tensor
# keeps: rotary_angles
def rotary_angles(length, d, base=10000.0, device=None):
    return torch.arange(length, device=device).float()[:, None] * base ** (-torch.arange(0, d, 2, device=device).float() / d)


def apply_rotary(x, angles):
    cos, sin = angles[: x.shape[2]].cos().to(x.dtype), angles[: x.shape[2]].sin().to(x.dtype)
    a, b = x[..., 0::2].clone(), x[..., 1::2].clone()
    with torch.no_grad():
        x[..., 0::2], x[..., 1::2] = a * cos - b * sin, a * sin + b * cos
    return x
