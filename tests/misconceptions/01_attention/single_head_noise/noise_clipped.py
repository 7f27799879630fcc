# expect: reject
# hint: the noise is normal, however large σ² is: do not cut it off
# keeps: weight_of_gamma
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    noise = math.sqrt(variance) * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
    z = math.sqrt(0.5) * torch.randn(trials, 1, generator=rng, dtype=mu.dtype)
    keys = mu + noise.clamp(-5 * 0.3, 5 * 0.3)
    keys[:, a] += z * mu[a]
    return keys
