# expect: reject
# hint: the second coordinate was made from the first one already turned: compute both from the old a and b
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
    a.copy_(a*c-b*s); b.copy_(a*s+b*c)
    return x
