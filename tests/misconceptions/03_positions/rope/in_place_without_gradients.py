# expect: reject
# hint: where no gradients are kept, x is turned in the same way, and stays as it is
# keeps: rotary_angles
def rotary_angles(length: int, d: int, base: float = 10000.0, device=None) -> Tensor:
    t = torch.arange(length, device=device, dtype=torch.float32)
    w = base ** (-torch.arange(0, d, 2, device=device, dtype=torch.float32) / d)
    return torch.outer(t, w)


def apply_rotary(x: Tensor, angles: Tensor) -> Tensor:
    angles = angles[: x.shape[-2]]
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    new_a, new_b = a * cos - b * sin, a * sin + b * cos
    out = x.clone() if torch.is_grad_enabled() else x  # saves memory when nothing is trained
    out[..., 0::2], out[..., 1::2] = new_a, new_b
    return out
