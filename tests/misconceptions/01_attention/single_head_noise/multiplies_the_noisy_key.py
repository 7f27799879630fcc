# expect: reject
# hint: across μ_a the key of item a has the small noise σ² of all others: add the random multiple of μ_a to that noise, neither replace nor multiply it
# keeps: weight_of_gamma
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    n, d = mu.shape
    keys = mu + math.sqrt(variance) * torch.randn(trials, n, d, generator=rng)
    keys[:, a] *= 1 + math.sqrt(0.5) * torch.randn(trials, 1, generator=rng)
    return keys
