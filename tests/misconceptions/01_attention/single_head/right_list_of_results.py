# expect: accept
def single_head(mu, K, V, a, b, beta):
    query = (mu[a] + mu[b]) * beta
    scores = (K * query).sum(2)
    scores = scores - scores.logsumexp(1, keepdim=True)
    alpha = scores.exp()
    return [alpha @ V, alpha]
