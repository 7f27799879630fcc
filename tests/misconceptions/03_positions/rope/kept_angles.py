# expect: reject
# hint: make the result anew in each call: a kept one is changed by whoever changes what was returned before
# keeps: apply_rotary
import functools

@functools.lru_cache
def rotary_angles(length, d, base=10000.0, device=None):
    speeds = base ** (-torch.arange(0, d, 2, device=device, dtype=torch.float32) / d)
    return torch.arange(length, device=device, dtype=torch.float32)[:, None] * speeds

def apply_rotary(x, angles):
    angles = angles[: x.shape[2]]
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
