# expect: reject
# hint: no number serves for two widths
# keeps: log_slope
def cross_variances(dims, draws, rng):
    unit, raw = [], []
    big = torch.randn(draws, max(dims), generator=rng, dtype=torch.float64)
    for d in dims:
        x = big[:, :d]
        p = torch.randn(draws, d, generator=rng, dtype=torch.float64)
        dots = torch.linalg.vecdot(x, p)
        raw.append(dots.var(correction=0).item())
        unit.append((dots / x.norm(dim=1) / p.norm(dim=1)).var().item())
    return torch.tensor(unit), torch.tensor(raw)

def log_slope(dims, values):
    x = torch.tensor(dims, dtype=torch.float64).log()
    A = torch.stack([x, torch.ones_like(x)], 1)
    return float(torch.linalg.lstsq(A, values.double().log()[:, None]).solution[0, 0])
