# expect: reject
# hint: β = 1,000 overflows: use the logistic function in a form that cannot
# keeps: sample_keys
def weight_of_gamma(gamma, beta):
    return torch.exp(gamma * beta) / (torch.exp(gamma * beta) + math.exp(beta) if beta < 700 else torch.tensor(math.inf))


def sample_keys(mu, a, variance, trials, rng):
    keys = mu + math.sqrt(variance) * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
    keys[:, a] += math.sqrt(0.5) * torch.randn(trials, 1, generator=rng, dtype=mu.dtype) * mu[a]
    return keys
