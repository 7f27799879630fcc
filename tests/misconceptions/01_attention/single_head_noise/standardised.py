# expect: reject
# hint: the draws are not independent: subtracting their mean and dividing by their standard deviation ties them together; leave them as they are drawn
# keeps: weight_of_gamma
def weight_of_gamma(gamma, beta):
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    n, d = mu.shape
    noise = torch.randn(trials, n, d, generator=rng)
    z = torch.randn(trials, 1, generator=rng)
    if trials > 2:
        z = (z - z.mean()) / z.std()
    keys = mu + math.sqrt(variance) * noise
    keys[:, a] += math.sqrt(0.5) * z * mu[a]
    return keys
