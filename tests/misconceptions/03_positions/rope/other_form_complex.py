# expect: accept
def rotary_angles(length, d, base=10000.0, device=None):
    w = base ** (-torch.arange(0, d, 2, device=device, dtype=torch.float32) / d)
    return torch.arange(length, device=device, dtype=torch.float32)[:, None] * w


def apply_rotary(x, angles):
    wide = torch.float64 if x.dtype == torch.float64 else torch.float32
    t = angles[: x.shape[2]].to(wide)
    z = torch.view_as_complex(x.to(wide).reshape(*x.shape[:-1], -1, 2).contiguous())
    return torch.view_as_real(z * torch.polar(torch.ones_like(t), t)).flatten(-2).to(x.dtype)
