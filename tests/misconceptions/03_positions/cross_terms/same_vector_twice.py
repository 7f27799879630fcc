# expect: reject
# hint: x and p are independent: draw two vectors for each pair
# keeps: log_slope
def cross_variances(dims, draws, rng):
    unit, raw = [], []
    for d in dims:
        x = torch.randn(draws, d, generator=rng)
        p = x.roll(1, 1)
        a = (x * p).sum(1)
        raw.append(a.var())
        unit.append((a / x.norm(dim=1) / p.norm(dim=1)).var())
    return torch.stack(unit), torch.stack(raw)


def log_slope(dims, values):
    u, w = torch.tensor(dims, dtype=torch.float64).log(), values.double().log()
    u = u - u.mean()
    return ((u * w).sum() / (u * u).sum()).item()
