# expect: reject
# hint: draw as many pairs as `draws` says: each pair needs two vectors
# keeps: log_slope
def cross_variances(dims, draws, rng):
    unit, raw = [], []
    for d in dims:
        x, p = torch.randn(draws, d, generator=rng)[: draws // 2 * 2].view(2, -1, d)
        a = (x * p).sum(1)
        raw.append(a.var())
        unit.append((a / x.norm(dim=1) / p.norm(dim=1)).var())
    return torch.stack(unit), torch.stack(raw)


def log_slope(dims, values):
    u, w = torch.tensor(dims, dtype=torch.float64).log(), values.double().log()
    u = u - u.mean()
    return ((u * w).sum() / (u * u).sum()).item()
