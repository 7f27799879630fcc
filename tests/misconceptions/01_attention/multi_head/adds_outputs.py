# expect: reject
# hint: the outputs were added: the mean is half of that
def multi_head(mu, K, V, a, b, beta):
    queries = beta * torch.stack([mu[a], mu[b]])
    return sum(torch.softmax(K @ q, dim=-1) @ V for q in queries), queries
