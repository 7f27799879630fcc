# expect: accept
def multi_head(mu, K, V, a, b, beta):
    queries = beta * torch.stack([mu[a] - mu[b], mu[b]])
    return (torch.softmax(K @ queries[0], dim=1) @ V + torch.softmax(K @ queries[1], dim=1) @ V) / 2, queries
