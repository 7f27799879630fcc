# expect: reject
# hint: the unit variance is wrong: give every single vector the norm 1
# keeps: log_slope
def cross_variances(dims: list[int], draws: int, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """Measured variance of x·p for independent random vectors.

    Args:
        dims: widths d to try. draws: pairs of vectors for each. rng: where all random numbers come from.

    Returns:
        unit: (len(dims),), both vectors scaled to norm 1.
        raw: (len(dims),), coordinates standard normal.
    """
    unit, raw = [], []
    for d in dims:
        x, p = torch.randn(2, draws, d, generator=rng)
        raw.append((x * p).sum(1).var())  # (draws, d) -> (draws,) -> ()
        unit.append(((x * p).sum(1) / (x.norm() * p.norm())).var())
    return torch.stack(unit), torch.stack(raw)


def log_slope(dims: list[int], values: Tensor) -> float:
    """Least-squares slope of log(values) (n,) against log(dims)."""
    u = torch.tensor(dims, dtype=torch.float64).log()
    w = values.double().log()
    u, w = u - u.mean(), w - w.mean()
    return ((u * w).sum() / (u * u).sum()).item()
