# expect: accept
def rotary_angles(length, d, base=10000.0, device=None):
    speed = torch.exp(-math.log(base) * torch.arange(0, d, 2, device=device, dtype=torch.float64) / d)
    return torch.arange(length, device=device, dtype=torch.float64).unsqueeze(1) * speed


def apply_rotary(x, angles):
    B, H, L, d = x.shape
    turns = torch.polar(torch.ones_like(angles[:L]), angles[:L])
    pairs = torch.view_as_complex(x.to(angles.dtype).reshape(B, H, L, d // 2, 2).contiguous())  # (B, H, L, d/2)
    return torch.view_as_real(pairs * turns).reshape(B, H, L, d).to(x.dtype)
