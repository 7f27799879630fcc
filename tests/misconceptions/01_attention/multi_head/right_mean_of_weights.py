# expect: accept
def multi_head(mu, K, V, a, b, beta):
    queries = beta * mu[[a, b]]
    alpha = torch.softmax(K @ queries.T, dim=1).mean(-1)
    return alpha @ V, queries
