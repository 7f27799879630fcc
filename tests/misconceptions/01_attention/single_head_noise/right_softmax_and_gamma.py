# expect: accept
def weight_of_gamma(gamma, beta):
    return torch.softmax(torch.stack([gamma * beta, torch.full_like(gamma, beta)]), dim=0)[0]


def sample_keys(mu, a, variance, trials, rng):
    gamma = torch.normal(1.0, 0.5**0.5, (trials, 1), generator=rng, dtype=mu.dtype)
    centres = mu.repeat(trials, 1, 1)
    centres[:, a] = gamma * mu[a]
    return centres + variance**0.5 * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
