# expect: reject
# hint: β = 1,000 overflows: use the logistic function in a form that cannot
# keeps: sample_keys
def weight_of_gamma(gamma, beta):
    power = torch.exp(gamma * beta)
    return power / (power + math.exp(beta))


def sample_keys(mu, a, variance, trials, rng):
    n, d = mu.shape
    keys = mu + math.sqrt(variance) * torch.randn(trials, n, d, generator=rng)
    keys[:, a] += math.sqrt(0.5) * torch.randn(trials, 1, generator=rng) * mu[a]
    return keys
