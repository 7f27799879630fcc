# expect: reject
# hint: The same arguments give the same result
# keeps: rotary_angles
_buf = {}
def rotary_angles(length, d, base=10000.0, device=None):
    t = torch.arange(length, device=device, dtype=torch.float32)
    w = base ** (-torch.arange(0, d, 2, device=device, dtype=torch.float32) / d)
    return torch.outer(t, w)
def apply_rotary(x, angles):
    L = x.shape[2]
    c, s = angles[:L].cos().to(x.dtype), angles[:L].sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    out = torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)
    if x.requires_grad:
        return out
    key = (x.shape, x.dtype, x.device)
    if key not in _buf:
        _buf[key] = torch.empty_like(out)
    return _buf[key].copy_(out)
