# expect: reject
# hint: one row per draw
def single_head(mu, K, V, a, b, beta):
    alpha = torch.softmax(K @ (beta * (mu[a] + mu[b])), dim=-1).mean(0)
    return alpha @ V, alpha
