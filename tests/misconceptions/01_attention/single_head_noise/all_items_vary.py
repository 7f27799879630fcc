# expect: reject
# hint: only the key of item a varies in length; the others have σ² alone
# keeps: weight_of_gamma
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    keys = mu + math.sqrt(variance) * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
    keys += math.sqrt(0.5) * torch.randn(trials, 1, 1, generator=rng, dtype=mu.dtype) * mu
    return keys
