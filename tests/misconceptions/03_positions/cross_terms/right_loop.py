# expect: accept
def cross_variances(dims, draws, rng):
    pairs = []
    for d in dims:
        x = torch.randn(draws, d, generator=rng)
        p = torch.randn(draws, d, generator=rng)
        a = torch.bmm(x[:, None], p[:, :, None]).flatten()  # (draws, 1, 1) -> (draws,)
        b = a / ((x**2).sum(1) * (p**2).sum(1)).sqrt()
        pairs.append([b.var().item(), a.var().item()])
    unit, raw = zip(*pairs)
    return torch.tensor(unit), torch.tensor(raw)


def log_slope(dims, values):
    u = [math.log(d) for d in dims]
    w = [math.log(v) for v in values.tolist()]
    n = len(u)
    return (n * sum(a * b for a, b in zip(u, w)) - sum(u) * sum(w)) / (n * sum(a * a for a in u) - sum(u) ** 2)
