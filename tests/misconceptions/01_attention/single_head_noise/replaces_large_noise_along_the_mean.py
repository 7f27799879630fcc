# expect: reject
# hint: along μ_a the key of item a has the variance ½ + σ², for a large σ² too: add the random multiple of μ_a to the noise there
# keeps: weight_of_gamma
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    noise = math.sqrt(variance) * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
    z = math.sqrt(0.5) * torch.randn(trials, 1, generator=rng, dtype=mu.dtype)
    keys = mu + noise
    if variance > 0.1:
        keys[:, a] -= (noise[:, a] @ mu[a])[:, None] * mu[a]
    keys[:, a] += z * mu[a]
    return keys
