# expect: reject
# hint: c cannot go to v_b at both ends: a short key (γ = 0.5) loses, a long one (γ = 1.5) wins
# keeps: sample_keys
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(-beta * (gamma - 1).abs())


def sample_keys(mu, a, variance, trials, rng):
    keys = mu + math.sqrt(variance) * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)
    keys[:, a] += math.sqrt(0.5) * torch.randn(trials, 1, generator=rng, dtype=mu.dtype) * mu[a]
    return keys
