# expect: reject
# hint: γ does not range over [0.5, 1.5]: it is normal, with variance ½ and no bounds
# keeps: weight_of_gamma
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    keys = mu + math.sqrt(variance) * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
    keys[:, a] += (torch.rand(trials, 1, generator=rng, dtype=mu.dtype) - 0.5) * mu[a]
    return keys
