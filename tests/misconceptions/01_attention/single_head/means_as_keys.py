# expect: reject
# hint: both draws give the same weights: attention must look at the drawn keys K; only the query comes from the means
def single_head(mu, K, V, a, b, beta):
    alpha = torch.softmax(mu @ (beta * (mu[a] + mu[b])), dim=-1).expand(len(K), -1)
    return alpha @ V, alpha
