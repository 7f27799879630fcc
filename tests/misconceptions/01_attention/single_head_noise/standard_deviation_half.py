# expect: reject
# hint: ½ is the variance of γ, and you made it the standard deviation: P(γ < 0) comes out near 0.02 instead of 0.08
# keeps: weight_of_gamma
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    keys = mu + math.sqrt(variance) * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
    keys[:, a] += 0.5 * torch.randn(trials, 1, generator=rng, dtype=mu.dtype) * mu[a]
    return keys
