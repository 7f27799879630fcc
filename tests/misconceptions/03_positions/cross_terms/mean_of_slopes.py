# expect: reject
# hint: least squares over all points, not the mean of the slopes between neighbours
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
    u, w = torch.tensor(dims, dtype=torch.float64).log(), values.double().log()
    return (w.diff() / u.diff()).mean().item()
