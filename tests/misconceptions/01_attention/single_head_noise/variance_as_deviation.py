# expect: reject
# hint: σ² is the variance of the small noise: its standard deviation is the square root
# keeps: weight_of_gamma
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    keys = mu + variance * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
    keys[:, a] += math.sqrt(0.5) * torch.randn(trials, 1, generator=rng, dtype=mu.dtype) * mu[a]
    return keys
