# expect: reject
# hint: the variance of raw is a mean square, without the mean taken away: with few pairs that is another number
def cross_variances(dims, draws, rng):
    unit, raw = [], []
    for d in dims:
        x = torch.randn(draws, d, generator=rng)
        p = torch.randn(draws, d, generator=rng)
        raw.append((x * p).sum(1).square().mean())
        u = x / x.norm(dim=1, keepdim=True)
        w = p / p.norm(dim=1, keepdim=True)
        unit.append((u * w).sum(1).var())
    return torch.stack(unit), torch.stack(raw)


def log_slope(dims, values):
    u = torch.tensor(dims, dtype=torch.float64).log()
    w = torch.as_tensor(values, dtype=torch.float64).log()
    u = u - u.mean()
    return ((u * (w - w.mean())).sum() / (u * u).sum()).item()
