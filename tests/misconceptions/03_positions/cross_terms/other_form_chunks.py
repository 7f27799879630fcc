# expect: accept
def cross_variances(dims, draws, rng):
    unit, raw = [], []
    for d in dims:
        x = torch.cat([torch.randn(1, d, generator=rng, dtype=torch.float64) for _ in range(draws)])
        p = torch.empty(draws, d, dtype=torch.float64).normal_(generator=rng)
        raw.append((x * p).sum(1).var(correction=0))
        u = x / x.norm(dim=1, keepdim=True)
        w = p / p.norm(dim=1, keepdim=True)
        unit.append((u * w).sum(1).var(correction=0))
    return torch.stack(unit), torch.stack(raw)


def log_slope(dims, values):
    u = torch.tensor(dims, dtype=torch.float64).log()
    w = torch.as_tensor(values, dtype=torch.float64).log()
    u = u - u.mean()
    return ((u * (w - w.mean())).sum() / (u * u).sum()).item()
