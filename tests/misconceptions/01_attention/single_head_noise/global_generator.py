# expect: reject
# hint: the same generator state must give the same keys: draw everything with generator=rng
# keeps: weight_of_gamma
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    keys = mu + math.sqrt(variance) * torch.randn(trials, *mu.shape, dtype=mu.dtype)
    keys[:, a] += math.sqrt(0.5) * torch.randn(trials, 1, dtype=mu.dtype) * mu[a]
    return keys
