# expect: reject
# hint: along μ_a alone
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    keys = mu + math.sqrt(variance) * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
    keys[:, a] += math.sqrt(0.5) * torch.randn(trials, mu.shape[1], generator=rng, dtype=mu.dtype)
    return keys
