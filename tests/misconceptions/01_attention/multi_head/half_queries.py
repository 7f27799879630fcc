# expect: reject
# hint: each query gives its own item the score β/2: only the outputs are halved, the queries keep the full β
def multi_head(mu, K, V, a, b, beta):
    queries = beta / 2 * torch.stack([mu[a], mu[b]])
    return sum(torch.softmax(K @ q, dim=-1) @ V for q in queries) / 2, queries
