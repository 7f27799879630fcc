# expect: accept
def cross_variances(dims, draws, rng):
    unit, raw = torch.zeros(len(dims)), torch.zeros(len(dims))
    for n, d in enumerate(dims):
        x, p = torch.randn(draws, d, generator=rng), torch.randn(draws, d, generator=rng)
        raw[n] = torch.var((x * p).sum(1), unbiased=False)
        unit[n] = torch.var((F.normalize(x, dim=1) * F.normalize(p, dim=1)).sum(1), unbiased=False)
    return unit, raw


def log_slope(dims, values):
    u, w = torch.log10(torch.tensor(dims, dtype=torch.float64)), torch.log10(values.double())
    line = torch.linalg.lstsq(torch.stack([u, torch.ones_like(u)], 1), w[:, None]).solution
    return line[0, 0]
