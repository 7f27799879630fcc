# expect: accept
def weight_of_gamma(gamma, beta):
    return torch.stack([(1 + torch.tanh(beta * (g - 1) / 2)) / 2 for g in gamma])


def sample_keys(mu, a, variance, trials, rng):
    rows = []
    for i, mean in enumerate(mu):
        noise = torch.randn(trials, len(mean), generator=rng, dtype=mu.dtype) * variance**0.5
        factor = 1 + 0.5**0.5 * torch.randn(trials, generator=rng, dtype=mu.dtype) if i == a else torch.ones(trials, dtype=mu.dtype)
        rows.append(torch.einsum("s,d->sd", factor, mean) + noise)
    return torch.stack(rows, dim=1)
