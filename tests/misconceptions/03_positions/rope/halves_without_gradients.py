# expect: reject
# hint: where no gradients are kept, x is turned in the same way
# keeps: rotary_angles
def rotary_angles(length, d, base=10000.0, device=None):
    t = torch.arange(length, device=device, dtype=torch.float32)
    w = base ** (-torch.arange(0, d, 2, device=device, dtype=torch.float32) / d)
    return torch.outer(t, w)
def _side(x, c, s):
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)
def _half(x, c, s):
    a, b = x.chunk(2, -1)
    return torch.cat([a * c - b * s, a * s + b * c], -1)
def apply_rotary(x, angles):
    L = x.shape[2]
    c, s = angles[:L].cos().to(x.dtype), angles[:L].sin().to(x.dtype)
    return _half(x, c, s) if not torch.is_grad_enabled() else _side(x, c, s)
