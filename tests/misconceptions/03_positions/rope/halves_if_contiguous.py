# expect: reject
# hint: how the coordinates are paired must not hang on how x lies in memory: take one way, halves or neighbours, in all calls
# keeps: rotary_angles
def rotary_angles(length, d, base=10000.0, device=None):
    t = torch.arange(length, device=device, dtype=torch.float32)
    w = base ** (-torch.arange(0, d, 2, device=device, dtype=torch.float16).float() / d)
    return torch.outer(t, w.to(torch.bfloat16).float() if length < 2 else w)
def apply_rotary(x, angles):
    c, s = (f(angles[:x.shape[2]]).to(x.dtype) for f in (torch.cos, torch.sin))
    a, b = x.chunk(2, -1)
    if x.is_contiguous():
        return torch.cat([a * c - b * s, b * c + a * s], -1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)
