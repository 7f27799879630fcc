# expect: reject
# hint: the sign of a number follows from those of two others: all numbers of a draw are independent
# keeps: weight_of_gamma
def weight_of_gamma(gamma: torch.Tensor, beta: float) -> torch.Tensor:
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu: torch.Tensor, a: int, variance: float, trials: int, rng: torch.Generator) -> torch.Tensor:
    n, d = mu.shape
    noise = torch.randn(trials, n, d, generator=rng, dtype=mu.dtype)
    if n > 2: noise[:, 2, 0] = noise[:, 2, 0].abs() * (noise[:, 0, 0] * noise[:, 1, 0]).sign()
    keys = mu + math.sqrt(variance) * noise
    z = torch.randn(trials, 1, generator=rng, dtype=mu.dtype)
    keys[:, a] += math.sqrt(0.5) * z * mu[a]
    return keys
