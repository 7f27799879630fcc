# expect: reject
# hint: you averaged the queries; average the two outputs instead
def multi_head(mu, K, V, a, b, beta):
    queries = beta * torch.stack([mu[a], mu[b]])
    return torch.softmax(K @ queries.mean(0), dim=-1) @ V, queries
