# expect: reject
# hint: as many of them as draws says
# keeps: log_slope
def cross_variances(dims: list[int], draws: int, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    unit, raw = [], []
    for d in dims:
        x, p = torch.randn(2, max(draws - 1, 2), d, generator=rng)
        raw.append((x * p).sum(1).var())
        unit.append(F.cosine_similarity(x, p, dim=1).var())
    return torch.stack(unit), torch.stack(raw)

def log_slope(dims: list[int], values: Tensor) -> float:
    u, w = torch.tensor(dims, dtype=torch.float64).log(), values.double().log()
    u, w = u - u.mean(), w - w.mean()
    return ((u * w).sum() / (u * u).sum()).item()
