# expect: reject
# hint: item b has the score β, not 0: for γ = 1 both must get ½
# keeps: sample_keys
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * gamma)


def sample_keys(mu, a, variance, trials, rng):
    keys = mu + math.sqrt(variance) * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
    keys[:, a] += math.sqrt(0.5) * torch.randn(trials, 1, generator=rng, dtype=mu.dtype) * mu[a]
    return keys
