# expect: reject
# hint: the draws are not independent: subtracting their mean ties them together; leave them as they are drawn
# keeps: weight_of_gamma
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    keys = mu + math.sqrt(variance) * torch.randn(trials, *mu.shape, generator=rng)
    z = torch.randn(trials, 1, generator=rng)
    if trials > 2:
        z = z - z.mean()
    keys[:, a] += math.sqrt(0.5) * z * mu[a]
    return keys
