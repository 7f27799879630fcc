# expect: reject
# hint: the noise has both signs: do not clip it at 0
# keeps: weight_of_gamma
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    noise = math.sqrt(variance) * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
    noise = noise.clamp(min=0)
    length = math.sqrt(0.5) * torch.randn(trials, 1, generator=rng, dtype=mu.dtype)
    keys = mu + noise
    keys[:, a] += length * mu[a]
    return keys
