# expect: accept
def weight_of_gamma(gamma, beta):
    x = beta * (gamma - 1)
    small = torch.exp(-x.abs())
    return torch.where(x >= 0, 1 / (1 + small), small / (1 + small))


def _normal(rng, *shape, like):
    return torch.empty(*shape, dtype=like.dtype).normal_(generator=rng)


def sample_keys(mu, a, variance, trials, rng):
    keys = mu.expand(trials, *mu.shape) + _normal(rng, trials, *mu.shape, like=mu) * math.sqrt(variance)
    one_hot = torch.zeros(len(mu), 1, dtype=mu.dtype)
    one_hot[a] = 1
    gamma = _normal(rng, trials, 1, 1, like=mu) / math.sqrt(2)
    return keys + gamma * (one_hot * mu)
