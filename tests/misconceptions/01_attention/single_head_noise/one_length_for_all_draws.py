# expect: reject
# hint: the length of k_a hardly varies: every draw needs its own random multiple of μ_a
# keeps: weight_of_gamma
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    keys = mu + math.sqrt(variance) * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
    keys[:, a] += math.sqrt(0.5) * torch.randn(1, generator=rng, dtype=mu.dtype) * mu[a]
    return keys
