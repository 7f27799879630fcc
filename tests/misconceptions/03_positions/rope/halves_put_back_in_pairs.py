# expect: reject
# hint: where the angle is 0 the coordinates change places: put the new ones back where you took them from, do not mix interleaved pairs with halves
# keeps: rotary_angles
def rotary_angles(length, d, base=10000.0, device=None):
    m = torch.arange(d // 2, device=device, dtype=torch.float32)
    t = torch.arange(length, device=device, dtype=torch.float32)
    return t[:, None] * base ** (-2 * m / d)

def apply_rotary(x, angles):
    L = x.shape[2]
    c = angles[:L].cos().to(x.dtype)
    s = angles[:L].sin().to(x.dtype)
    a, b = x.chunk(2, dim=-1)
    return torch.stack([a * c - b * s, a * s + b * c], dim=-1).flatten(-2)
