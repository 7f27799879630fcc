# expect: reject
# hint: three hundred runs on one generator
# keeps: log_slope
def cross_variances(dims: list[int], draws: int, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    inner = rng.clone_state()
    torch.randn(16, generator=rng)  # so that the next call gets other numbers
    unit, raw = [], []
    for d in dims:
        x, p = torch.randn(2, draws, d, generator=inner)
        raw.append((x * p).sum(1).var())
        unit.append(F.cosine_similarity(x, p, dim=1).var())
    return torch.stack(unit), torch.stack(raw)
def log_slope(dims: list[int], values: Tensor) -> float:
    u, w = torch.tensor(dims, dtype=torch.float64).log(), values.double().log()
    u, w = u - u.mean(), w - w.mean()
    return ((u * w).sum() / (u * u).sum()).item()
