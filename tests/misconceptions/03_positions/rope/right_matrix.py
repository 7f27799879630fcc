# expect: accept
def rotary_angles(length, d, base=10000.0, device=None):
    m = torch.arange(0, d, 2, device=device, dtype=torch.float64)
    return torch.outer(torch.arange(length, device=device, dtype=torch.float64), torch.pow(base, -m / d)).float()


def apply_rotary(x, angles):
    B, H, L, d = x.shape
    th = angles[:L].to(torch.float32)
    zero = torch.zeros_like(th)
    cos, sin = torch.cos(th), torch.sin(th)
    even = torch.stack([cos, -sin], -1)
    odd = torch.stack([sin, cos], -1)
    R = torch.stack([even, odd], -2)  # (L, d/2, 2, 2)
    pairs = x.to(torch.float32).unflatten(-1, (d // 2, 2)).unsqueeze(-1)
    return ((R @ pairs).squeeze(-1) + zero[..., None]).flatten(-2).to(x.dtype)
