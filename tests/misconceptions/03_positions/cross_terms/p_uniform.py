# expect: reject
# hint: x and p are both normal
# keeps: log_slope
def cross_variances(dims, draws, rng):
    unit, raw = [], []
    for d in dims:
        x = torch.randn(draws, d, generator=rng, dtype=torch.float64)
        p = (torch.rand(draws, d, generator=rng, dtype=torch.float64) - 0.5) * 12 ** 0.5
        dots = torch.linalg.vecdot(x, p)
        raw.append(dots.var(correction=0).item())
        unit.append((dots / x.norm(dim=1) / p.norm(dim=1)).var().item())
    return torch.tensor(unit), torch.tensor(raw)

def log_slope(dims, values):
    x = torch.tensor(dims, dtype=torch.float64).log()
    A = torch.stack([x, torch.ones_like(x)], 1)
    return float(torch.linalg.lstsq(A, values.double().log()[:, None]).solution[0, 0])
