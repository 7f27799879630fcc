# expect: reject
# hint: draw fresh pairs for every width: the generator goes on, its state is not put back
# keeps: log_slope
def cross_variances(dims: list[int], draws: int, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """Measured variance of x·p for independent random vectors.

    Args:
        dims: widths d >= 1 to try. draws: pairs of vectors for each of them, fresh ones for every d, at least 2.
        rng: where all random numbers come from.

    Returns:
        unit: (len(dims),), both vectors scaled to norm 1.
        raw: (len(dims),), coordinates standard normal. Dividing by draws or by draws - 1 is as good.
    """
    unit, raw = [], []
    keep = rng.get_state()
    for d in dims:
        rng.set_state(keep)
        x, p = torch.randn(2, draws, d, generator=rng)
        raw.append((x * p).sum(1).var())  # (draws, d) -> (draws,) -> ()
        unit.append(((x * p).sum(1) / (x.norm(dim=1) * p.norm(dim=1))).var())
    return torch.stack(unit), torch.stack(raw)


def log_slope(dims: list[int], values: Tensor) -> float:
    """Least-squares slope of log(values) (n,) against log(dims). At least two different widths, in any order."""
    u = torch.tensor(dims, dtype=torch.float64).log()
    w = values.double().log()
    u, w = u - u.mean(), w - w.mean()
    return ((u * w).sum() / (u * u).sum()).item()
