# expect: reject
# hint: c is not the mean of the outputs that your two queries give on these keys
def multi_head(mu, K, V, a, b, beta):
    queries = beta * torch.stack([mu[a], mu[b]])
    c = sum(torch.softmax(mu @ q, dim=-1) @ V for q in queries) / 2
    return c.expand(len(K), -1), queries
