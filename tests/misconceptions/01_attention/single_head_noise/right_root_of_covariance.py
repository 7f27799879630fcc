# expect: accept
def weight_of_gamma(gamma, beta):
    pair = torch.stack([gamma * beta, torch.full_like(gamma, beta)])
    return torch.softmax(pair, 0)[0]


def sample_keys(mu, a, variance, trials, rng):
    n, d = mu.shape
    sigma = math.sqrt(variance)
    roots = (sigma * torch.eye(d)).repeat(n, 1, 1)
    roots[a] += (math.sqrt(variance + 0.5) - sigma) * torch.outer(mu[a], mu[a])
    return mu + torch.einsum("nij,snj->sni", roots, torch.randn(trials, n, d, generator=rng))
