# expect: reject
# hint: longer by √2
def single_head(mu, K, V, a, b, beta):
    query = beta * (mu[a] + mu[b]) / math.sqrt(2)
    alpha = torch.softmax(K @ query, dim=-1)
    return alpha @ V, alpha
