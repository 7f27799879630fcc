# expect: reject
# hint: both vectors of a pair are random: draw p anew for every pair
# keeps: log_slope
def cross_variances(dims, draws, rng):
    unit, raw = [], []
    for d in dims:
        x, p = torch.randn(draws, d, generator=rng), torch.randn(d, generator=rng)
        a = x @ p
        raw.append(a.var())
        unit.append((a / x.norm(dim=1) / p.norm()).var())
    return torch.stack(unit), torch.stack(raw)


def log_slope(dims, values):
    u, w = torch.tensor(dims, dtype=torch.float64).log(), values.double().log()
    u = u - u.mean()
    return ((u * w).sum() / (u * u).sum()).item()
