# expect: reject
# hint: the sign is turned: a longer key must get more weight, not less
# keeps: sample_keys
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (1 - gamma))


def sample_keys(mu, a, variance, trials, rng):
    keys = mu + math.sqrt(variance) * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
    keys[:, a] += math.sqrt(0.5) * torch.randn(trials, 1, generator=rng, dtype=mu.dtype) * mu[a]
    return keys
