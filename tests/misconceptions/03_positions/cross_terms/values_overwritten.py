# expect: reject
# hint: you changed values: take the logarithm into a new tensor
# keeps: cross_variances
def cross_variances(dims, draws, rng):
    unit, raw = [], []
    for d in dims:
        x, p = torch.randn(2, draws, d, generator=rng)
        a = (x * p).sum(1)
        raw.append(a.var())
        unit.append((a / x.norm(dim=1) / p.norm(dim=1)).var())
    return torch.stack(unit), torch.stack(raw)


def log_slope(dims, values):
    u, w = torch.tensor(dims, dtype=torch.float64).log(), values.log_()
    u = u - u.mean()
    return ((u * w).sum() / (u * u).sum()).item()
