# expect: reject
# hint: each gives its own item the score β
def multi_head(mu, K, V, a, b, beta):
    queries = min(beta, 500.0) * mu[[a, b]]
    alpha = torch.softmax(K @ queries.T, 1)
    c = (alpha[..., 0] @ V + alpha[..., 1] @ V) / 2
    return c, queries
