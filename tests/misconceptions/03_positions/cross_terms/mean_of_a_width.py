# expect: reject
# hint: a width may come several times: each of its points counts in the sum of squares
# keeps: cross_variances
def cross_variances(dims, draws, rng):
    unit, raw = [], []
    for d in dims:
        x = torch.randn(draws, d, generator=rng)
        p = torch.randn(draws, d, generator=rng)
        raw.append((x * p).sum(1).var())
        x = x / x.norm(dim=1, keepdim=True)
        p = p / p.norm(dim=1, keepdim=True)
        unit.append((x * p).sum(1).var())
    return torch.stack(unit), torch.stack(raw)

def log_slope(dims, values):
    groups = {}
    for d, v in zip(dims, values.tolist()):
        groups.setdefault(d, []).append(v)
    dims, values = list(groups), torch.tensor([sum(g) / len(g) for g in groups.values()], dtype=torch.float64)
    u = torch.tensor(dims, dtype=torch.float64).log()
    w = values.double().log()
    u, w = u - u.mean(), w - w.mean()
    return float((u * w).sum() / (u * u).sum())
