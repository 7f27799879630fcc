# expect: reject
# hint: c is not the mean of the outputs that your two queries give on these keys
def multi_head(mu, K, V, a, b, beta):
    return ((V[a] + V[b]) / 2).expand(len(K), -1), beta * torch.stack([mu[a], mu[b]])
