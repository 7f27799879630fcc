# expect: accept
import statistics


def cross_variances(dims, draws, rng):
    unit, raw = [], []
    for d in dims:
        x, p = torch.randn(draws, d, generator=rng), torch.randn(draws, d, generator=rng)
        products = (x * p).sum(1)
        raw.append(statistics.variance(products.tolist()))
        unit.append(statistics.variance((products / x.square().sum(1).sqrt() / p.square().sum(1).sqrt()).tolist()))
    return torch.tensor(unit), torch.tensor(raw)


def log_slope(dims, values):
    return statistics.linear_regression([math.log(d) for d in dims], [math.log(v) for v in values.tolist()]).slope
