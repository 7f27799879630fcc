# expect: accept
def weight_of_gamma(gamma: torch.Tensor, beta: float) -> torch.Tensor:
    return torch.sigmoid(beta * (gamma - 1))


def sample_keys(mu, a, variance, trials, rng):
    n, d = mu.shape
    out = []
    for i in range(n):
        cov = variance * torch.eye(d, dtype=mu.dtype)
        if i == a:
            cov = cov + 0.5 * torch.outer(mu[a], mu[a])
        w, U = torch.linalg.eigh(cov)
        z = torch.randn(d, trials, generator=rng, dtype=mu.dtype)
        out.append(mu[i] + (U @ (w.clamp(min=0).sqrt()[:, None] * z)).T)
    return torch.stack(out, 1)
