# expect: reject
# hint: the largest score of all draws is taken away from every draw: where all scores of a draw are far smaller, every exponential becomes 0
def multi_head(mu, K, V, a, b, beta):
    queries = beta * torch.stack([mu[a], mu[b]])
    scores = K @ queries.T
    e = torch.exp(scores - scores.amax(dim=(0, 1)))
    alpha = e / e.sum(dim=1, keepdim=True)
    return (alpha.transpose(1, 2) @ V).mean(dim=1), queries
