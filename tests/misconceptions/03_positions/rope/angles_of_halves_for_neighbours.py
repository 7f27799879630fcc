# expect: reject
# hint: angles and pairs belong to two layouts: for neighbours repeat each angle twice in a row, for halves append the angles to themselves
# keeps: rotary_angles
def rotary_angles(
    length: int, d: int, base: float = 10000.0, device: torch.device | str | None = None
) -> Tensor:
    speed = base ** (-torch.arange(0, d, 2, device=device, dtype=torch.float32) / d)  # (d/2,)
    return torch.outer(torch.arange(length, device=device, dtype=torch.float32), speed)  # (length, d/2)


def apply_rotary(x: Tensor, angles: Tensor) -> Tensor:
    angles = angles[: x.shape[2]]
    angles = torch.cat([angles, angles], -1)  # (L, d/2) -> (L, d), as for halves
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    beside = torch.stack([-x[..., 1::2], x[..., 0::2]], -1).flatten(-2)  # as for neighbours
    return x * cos + beside * sin
