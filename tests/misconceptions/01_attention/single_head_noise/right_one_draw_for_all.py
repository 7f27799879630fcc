# expect: accept
def weight_of_gamma(gamma, beta):
    return torch.exp(torch.nn.functional.logsigmoid(beta * gamma - beta))


def sample_keys(mu, a, variance, trials, rng):
    n, d = mu.shape
    z = torch.randn(trials, n * d + 1, generator=rng, dtype=mu.dtype)
    keys = mu + variance**0.5 * z[:, 1:].view(trials, n, d)
    keys[:, a, :] = keys[:, a, :] + z[:, :1] * math.sqrt(1 / 2) * mu[a]
    return keys
