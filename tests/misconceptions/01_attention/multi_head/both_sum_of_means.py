# expect: reject
# hint: both heads ask with the same query: that is one head twice; give each head its own item
def multi_head(mu, K, V, a, b, beta):
    q = beta * (mu[a] + mu[b]) / 2
    queries = torch.stack([q, q])
    return torch.softmax(K @ q, dim=-1) @ V, queries
