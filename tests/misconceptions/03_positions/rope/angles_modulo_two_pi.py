# expect: reject
# hint: entry [t, m] of the angles is t · ω_m itself: leave out the remainder by 2π, cosine and sine do without it
# keeps: apply_rotary
def rotary_angles(length, d, base=10000.0, device=None):
    t = torch.arange(length, device=device, dtype=torch.float32)
    w = base ** (-torch.arange(0, d, 2, device=device, dtype=torch.float32) / d)
    return (t[:, None] * w) % (2 * math.pi)
def apply_rotary(x, angles):
    c, s = angles[:x.shape[2]].cos().to(x.dtype), angles[:x.shape[2]].sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)
