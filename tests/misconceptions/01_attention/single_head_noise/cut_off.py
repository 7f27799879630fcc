# expect: reject
# hint: negative γ must occur, in 8 % of the draws: do not cut the normal distribution off
# keeps: weight_of_gamma
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    keys = mu + math.sqrt(variance) * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
    keys[:, a] += math.sqrt(0.5) * (torch.randn(trials, 1, generator=rng, dtype=mu.dtype)).clamp(min=-math.sqrt(2)) * mu[a]
    return keys
