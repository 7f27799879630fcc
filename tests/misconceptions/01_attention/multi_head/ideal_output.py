# expect: reject
# hint: not the mean of the outputs
def multi_head(mu, K, V, a, b, beta):
    return ((V[a] + V[b]) / 2).expand(len(K), -1), beta * torch.stack([mu[a], mu[b]])
