# expect: reject
# hint: α_a is not e^{γβ}/(e^{γβ}+e^β)
# keeps: sample_keys
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(gamma - 1)


def sample_keys(mu, a, variance, trials, rng):
    n, d = mu.shape
    keys = mu + math.sqrt(variance) * torch.randn(trials, n, d, generator=rng)
    keys[:, a] += math.sqrt(0.5) * torch.randn(trials, 1, generator=rng) * mu[a]
    return keys
