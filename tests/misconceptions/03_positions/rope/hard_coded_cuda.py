# expect: reject
# hint: without cuda
# keeps: rotary_angles
def rotary_angles(length: int, d: int, base: float = 10000.0, device: torch.device | str | None = None) -> Tensor:
    """Angles of rotary positions, (length, d/2), float32 or finer, on ``device``: entry [t, m] is t * base^(-2m/d)."""
    speed = base ** (-torch.arange(0, d, 2, device=device, dtype=torch.float32) / d)  # (d/2,)
    places = torch.arange(length, device=device, dtype=torch.float32)
    return torch.outer(places, speed)  # (length,) and (d/2,) -> (length, d/2)


def apply_rotary(x: Tensor, angles: Tensor) -> Tensor:
    """Turn the pairs of queries or keys by the angles of their places.

    Args:
        x: (B, H, L, d), d even, any floating-point type; row l stands at place l.
        angles: (T, d/2) with T >= L; entry [t, m] for pair m at place t.

    Returns:
        (B, H, L, d), type and device of x.
    """
    angles = angles[: x.shape[2]]  # (T, d/2) -> (L, d/2)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    if torch.cuda.is_available():
        cos, sin = cos.cuda(), sin.cuda()
    a, b = x[..., 0::2], x[..., 1::2]  # (B, H, L, d) -> (B, H, L, d/2) each
    turned = torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1)  # (B, H, L, d/2, 2)
    return turned.flatten(-2)  # (B, H, L, d/2, 2) -> (B, H, L, d)
