# expect: accept
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    keys = mu + math.sqrt(variance) * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
    along = 1 + math.sqrt(0.5 + variance) * torch.randn(trials, generator=rng, dtype=mu.dtype)
    keys[:, a] += (along - keys[:, a] @ mu[a])[:, None] * mu[a]
    return keys
