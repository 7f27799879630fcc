# expect: reject
# hint: go on with rng as it is: seeding it again gives the same numbers every time
# keeps: log_slope
def cross_variances(dims, draws, rng):
    rng.manual_seed(rng.initial_seed())
    unit, raw = [], []
    for d in dims:
        x, p = torch.randn(2, draws, d, generator=rng)
        a = (x * p).sum(1)
        raw.append(a.var())
        unit.append((a / x.norm(dim=1) / p.norm(dim=1)).var())
    return torch.stack(unit), torch.stack(raw)


def log_slope(dims, values):
    u, w = torch.tensor(dims, dtype=torch.float64).log(), values.double().log()
    u = u - u.mean()
    return ((u * w).sum() / (u * u).sum()).item()
