# expect: reject
# hint: c must have the shape (S, p): average the two outputs, do not put them side by side
def multi_head(mu, K, V, a, b, beta):
    queries = beta * torch.stack([mu[a], mu[b]])
    return torch.cat([torch.softmax(K @ q, dim=-1) @ V for q in queries], dim=1), queries
