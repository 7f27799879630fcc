# expect: accept
from typing import NamedTuple


class Variances(NamedTuple):
    unit: Tensor
    raw: Tensor


def cross_variances(dims, draws, rng):
    unit, raw = [], []
    for d in dims:
        pairs = torch.empty(draws, 2, d).normal_(generator=rng)
        a = pairs.prod(1).sum(-1)
        raw.append((a**2).mean() - a.mean() ** 2)
        unit.append(F.cosine_similarity(pairs[:, 0], pairs[:, 1], dim=1).var(correction=0))
    return Variances(torch.stack(unit), torch.stack(raw))


def log_slope(dims, values):
    u = torch.tensor(dims).double().log2()
    both = torch.stack([u, values.double().log2()])
    covariance = torch.cov(both)
    return covariance[0, 1] / covariance[0, 0]
