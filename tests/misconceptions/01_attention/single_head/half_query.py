# expect: reject
# hint: the scores are β/2: the query is the sum, not the mean, of μ_a and μ_b times β
def single_head(mu, K, V, a, b, beta):
    alpha = torch.softmax(K @ (beta * (mu[a] + mu[b]) / 2), dim=-1)
    return alpha @ V, alpha
