# expect: accept
def cross_variances(dims: list[int], draws: int, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    unit, raw = [], []
    for d in dims:
        x, p = torch.randn(draws, d, generator=rng), torch.randn(draws, d, generator=rng)
        raw.append((x * p).sum(1).var())
        x, p = x / x.norm(dim=1, keepdim=True), p / p.norm(dim=1, keepdim=True)
        unit.append((x * p).sum(1).var())
    return torch.stack(unit), torch.stack(raw)
def log_slope(dims: list[int], values: Tensor) -> float:
    u, w = torch.log(torch.tensor(dims)), torch.log(values)
    u, w = u - u.mean(), w - w.mean()
    return ((u * w).sum() / (u * u).sum()).item()
