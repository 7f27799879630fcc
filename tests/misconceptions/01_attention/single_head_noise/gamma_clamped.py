# expect: reject
# hint: γ may be any number, a hundred too: do not clamp it
# keeps: sample_keys
def weight_of_gamma(gamma: torch.Tensor, beta: float) -> torch.Tensor:
    return torch.sigmoid(beta * (gamma.clamp(-20, 20) - 1))


def sample_keys(mu: torch.Tensor, a: int, variance: float, trials: int, rng: torch.Generator) -> torch.Tensor:
    n, d = mu.shape
    noise = torch.randn(trials, n, d, generator=rng, dtype=mu.dtype)
    keys = mu + math.sqrt(variance) * noise
    z = torch.randn(trials, 1, generator=rng, dtype=mu.dtype)
    keys[:, a] += math.sqrt(0.5) * z * mu[a]
    return keys
