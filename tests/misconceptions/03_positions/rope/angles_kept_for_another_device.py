# expect: reject
# hint: the angles must be made on the device
_a = {}
def rotary_angles(length, d, base=10000.0, device=None):
    t = torch.arange(length, device=device, dtype=torch.float32)
    w = base ** (-torch.arange(0, d, 2, device=device, dtype=torch.float32) / d)
    return _a.setdefault((length, d, base), torch.outer(t, w)).clone()
def apply_rotary(x, angles):
    L = x.shape[2]
    c, s = angles[:L].cos().to(x.dtype), angles[:L].sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)
