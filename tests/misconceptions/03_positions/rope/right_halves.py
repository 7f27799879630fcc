# expect: accept
def rotary_angles(length, d, base=10000.0, device=None):
    m = torch.arange(d // 2, device=device).float()
    t = torch.arange(length, device=device).float()
    return t[:, None] / base ** (2 * m / d)


def apply_rotary(x, angles):
    L, d = x.shape[-2:]
    both = torch.cat([angles[:L], angles[:L]], dim=-1)
    a, b = x[..., : d // 2].float(), x[..., d // 2 :].float()
    y = torch.cat([a, b], -1) * both.cos() + torch.cat([-b, a], -1) * both.sin()
    return y.to(x.dtype)
