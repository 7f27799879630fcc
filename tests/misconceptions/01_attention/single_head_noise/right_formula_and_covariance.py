# expect: accept
def weight_of_gamma(gamma, beta):
    return 1 / (1 + torch.exp((beta * (1 - gamma)).clamp(max=700)))


def sample_keys(mu, a, variance, trials, rng):
    n, d = mu.shape
    keys = torch.empty(trials, n, d, dtype=mu.dtype)
    for i in range(n):
        cov = variance * torch.eye(d, dtype=mu.dtype)
        if i == a:
            cov = cov + 0.5 * torch.outer(mu[a], mu[a])
        keys[:, i] = mu[i] + torch.randn(trials, d, generator=rng, dtype=mu.dtype) @ torch.linalg.cholesky(cov).T
    return keys
