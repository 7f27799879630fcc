# expect: reject
# hint: draw fresh vectors for every d: slices of one table make the measurements depend on each other
# keeps: log_slope
def cross_variances(dims, draws, rng):
    x, p = torch.randn(2, draws, max(dims), generator=rng)
    unit, raw = [], []
    for d in dims:
        a = (x[:, :d] * p[:, :d]).sum(1)
        raw.append(a.var())
        unit.append((a / x[:, :d].norm(dim=1) / p[:, :d].norm(dim=1)).var())
    return torch.stack(unit), torch.stack(raw)


def log_slope(dims, values):
    u, w = torch.tensor(dims, dtype=torch.float64).log(), values.double().log()
    u = u - u.mean()
    return ((u * w).sum() / (u * u).sum()).item()
