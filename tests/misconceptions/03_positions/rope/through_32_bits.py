# expect: reject
# hint: numbers of 64 bits go through 32 on the way: turn them in their own type, with angles of 32 bits or more
def rotary_angles(length, d, base=10000.0, device=None):
    m = torch.arange(d // 2, device=device, dtype=torch.float64)
    return torch.outer(torch.arange(length, device=device, dtype=torch.float64), base ** (-2 * m / d))

def apply_rotary(x, angles):
    L = x.shape[-2]
    a = angles[:L].to(torch.float32)
    turn = torch.complex(a.cos(), a.sin())
    z = torch.view_as_complex(x.to(a.dtype).reshape(*x.shape[:-1], -1, 2).contiguous())
    return torch.view_as_real(z * turn).flatten(-2).to(x.dtype)
