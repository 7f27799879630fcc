# expect: reject
# hint: keys have coordinates of both signs: do not clip them at 0
# keeps: weight_of_gamma
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    noise = math.sqrt(variance) * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
    length = math.sqrt(0.5) * torch.randn(trials, 1, generator=rng, dtype=mu.dtype)
    keys = mu + noise
    keys[:, a] += length * mu[a]
    return keys.clamp(min=0)
