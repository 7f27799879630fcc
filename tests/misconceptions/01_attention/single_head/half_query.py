# expect: reject
# hint: the scores are β/2
def single_head(mu, K, V, a, b, beta):
    alpha = torch.softmax(K @ (beta * (mu[a] + mu[b]) / 2), dim=-1)
    return alpha @ V, alpha
