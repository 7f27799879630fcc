# expect: reject
# hint: each p serves two pairs: draw one for every pair
def cross_variances(dims, draws, rng):
    unit, raw = [], []
    for d in dims:
        x = torch.randn(draws, d, generator=rng)
        p = torch.randn((draws + 1) // 2, d, generator=rng).repeat_interleave(2, 0)[:draws]
        raw.append((x * p).sum(1).var())
        u = x / x.norm(dim=1, keepdim=True)
        w = p / p.norm(dim=1, keepdim=True)
        unit.append((u * w).sum(1).var())
    return torch.stack(unit), torch.stack(raw)


def log_slope(dims, values):
    u = torch.tensor(dims, dtype=torch.float64).log()
    w = torch.as_tensor(values, dtype=torch.float64).log()
    u = u - u.mean()
    return ((u * (w - w.mean())).sum() / (u * u).sum()).item()
