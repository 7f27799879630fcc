# expect: reject
# hint: the queries are too short: scale them with β, as for copying
def multi_head(mu, K, V, a, b, beta):
    queries = torch.stack([mu[a], mu[b]])
    return sum(torch.softmax(K @ q, dim=-1) @ V for q in queries) / 2, queries
