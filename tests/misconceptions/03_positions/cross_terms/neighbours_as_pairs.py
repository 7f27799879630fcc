# expect: reject
# hint: two pairs are enough, or three, and each is a pair of its own
# keeps: log_slope
def cross_variances(dims, draws, rng):
    unit, raw = [], []
    for d in dims:
        x = torch.randn(draws, d, generator=rng)
        p = x.roll(1, 0)
        raw.append((x * p).sum(1).var())
        x = x / x.norm(dim=1, keepdim=True)
        p = p / p.norm(dim=1, keepdim=True)
        unit.append((x * p).sum(1).var())
    return torch.stack(unit), torch.stack(raw)

def log_slope(dims, values):
    u = torch.tensor(dims, dtype=torch.float64).log()
    w = values.double().log()
    u, w = u - u.mean(), w - w.mean()
    return float((u * w).sum() / (u * u).sum())
