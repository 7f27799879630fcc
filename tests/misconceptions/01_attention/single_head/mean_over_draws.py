# expect: reject
# hint: c must have the shape (S, p) and alpha (S, n): one row per draw of the keys
def single_head(mu, K, V, a, b, beta):
    alpha = torch.softmax(K @ (beta * (mu[a] + mu[b])), dim=-1).mean(0)
    return alpha @ V, alpha
