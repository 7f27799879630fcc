# expect: reject
# hint: the noise of some draws is that of earlier ones: draw all of it afresh
# keeps: weight_of_gamma
def weight_of_gamma(gamma: torch.Tensor, beta: float) -> torch.Tensor:
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu: torch.Tensor, a: int, variance: float, trials: int, rng: torch.Generator) -> torch.Tensor:
    n, d = mu.shape
    noise = torch.randn(trials, n, d, generator=rng, dtype=mu.dtype)
    noise[5:, 0] = noise[:-5, 0].clone() if trials > 5 else noise[5:, 0]
    keys = mu + math.sqrt(variance) * noise
    z = torch.randn(trials, 1, generator=rng, dtype=mu.dtype)
    keys[:, a] += math.sqrt(0.5) * z * mu[a]
    return keys
