# expect: reject
# hint: coordinates are standard normal numbers: signs alone have another distribution
# keeps: log_slope
def cross_variances(dims, draws, rng):
    unit, raw = [], []
    for d in dims:
        x, p = torch.randn(2, draws, d, generator=rng).sign()
        a = (x * p).sum(1)
        raw.append(a.var())
        unit.append((a / d).var())
    return torch.stack(unit), torch.stack(raw)


def log_slope(dims, values):
    u, w = torch.tensor(dims, dtype=torch.float64).log(), values.double().log()
    u = u - u.mean()
    return ((u * w).sum() / (u * u).sum()).item()
