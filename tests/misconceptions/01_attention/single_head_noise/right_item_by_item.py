# expect: accept
def weight_of_gamma(gamma, beta):
    return 1 - torch.special.expit(beta * (1 - gamma))


def sample_keys(mu, a, variance, trials, rng):
    n, d = mu.shape
    columns = []
    for i in range(n):
        column = mu[i] + variance**0.5 * torch.randn((trials, d), generator=rng, dtype=mu.dtype)
        if i == a:
            column = column + torch.outer(0.5**0.5 * torch.randn(trials, generator=rng, dtype=mu.dtype), mu[a])
        columns.append(column)
    return torch.stack(columns).transpose(0, 1)
