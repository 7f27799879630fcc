# expect: reject
# hint: of many items, whichever of them varies
# keeps: weight_of_gamma
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    n, d = mu.shape
    keys = mu + math.sqrt(variance) * torch.randn(trials, n, d, generator=rng, dtype=mu.dtype)
    z = torch.randn(trials, 1, generator=rng, dtype=mu.dtype)
    z = torch.cat([z[: trials - trials // 2], -z[: trials // 2].flip(0)])
    keys[:, a] += math.sqrt(0.5) * z * mu[a]
    return keys
