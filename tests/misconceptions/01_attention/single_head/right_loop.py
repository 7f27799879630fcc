# expect: accept
def single_head(mu, K, V, a, b, beta):
    q = beta * mu[a] + beta * mu[b]
    outputs, weights = [], []
    for keys in K:
        s = keys @ q
        p = torch.exp(s - s.max())
        weights.append(p / p.sum())
        outputs.append(weights[-1] @ V)
    return torch.stack(outputs), torch.stack(weights)
