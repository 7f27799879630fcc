# expect: reject
# hint: you gave the query the length β: β(μ_a + μ_b) is longer by √2, and then both scores are β
def single_head(mu, K, V, a, b, beta):
    query = beta * (mu[a] + mu[b]) / math.sqrt(2)
    alpha = torch.softmax(K @ query, dim=-1)
    return alpha @ V, alpha
