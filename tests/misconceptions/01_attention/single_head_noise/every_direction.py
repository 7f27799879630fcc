# expect: reject
# hint: the extra variance ½ lies along μ_a alone, not in every direction: one random number per draw, shape (S, 1), times the vector μ_a
# keeps: weight_of_gamma
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    keys = mu + math.sqrt(variance) * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
    keys[:, a] += math.sqrt(0.5) * torch.randn(trials, mu.shape[1], generator=rng, dtype=mu.dtype)
    return keys
