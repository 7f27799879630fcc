# expect: accept
def rotary_angles(length, d, base=10000.0, device=None):
    t = torch.arange(length, device=device, dtype=torch.float32)
    w = base ** (-torch.arange(0, d, 2, device=device, dtype=torch.float32) / d)
    return t[:, None] * w


def apply_rotary(x, angles):
    x = x if x.is_contiguous() else x.contiguous()
    wide = torch.promote_types(x.dtype, torch.float32)  # 64-bit numbers keep their digits
    pairs = x.to(wide).view(*x.shape[:-1], -1, 2)
    z = torch.complex(pairs[..., 0], pairs[..., 1])
    turn = torch.polar(torch.ones_like(angles), angles)[: x.shape[2]].to(z.dtype)
    return torch.view_as_real(z * turn).flatten(-2).to(x.dtype)
