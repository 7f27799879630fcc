# expect: reject
# hint: along μ_a the key of item a has the variance ½ + σ²: add the random multiple of μ_a to the noise there, do not put it in its place
# keeps: weight_of_gamma
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    noise = math.sqrt(variance) * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
    z = math.sqrt(0.5) * torch.randn(trials, 1, generator=rng, dtype=mu.dtype)
    keys = mu + noise
    along = keys[:, a] @ mu[a]
    keys[:, a] += (1 + z - along[:, None]) * mu[a]
    return keys
