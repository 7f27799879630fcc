# expect: reject
# hint: the extra variance ½ lies along μ_a alone, not in every direction: one random number per draw, shape (S, 1), times the vector μ_a
# keeps: weight_of_gamma
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    n, d = mu.shape
    keys = mu + math.sqrt(variance) * torch.randn(trials, n, d, generator=rng)
    keys[:, a] += math.sqrt(0.5) * torch.randn(trials, d, generator=rng) * mu[a]
    return keys
