# expect: reject
# hint: the scores are divided by √d: in this notebook they are not
def single_head(mu, K, V, a, b, beta):
    q = beta * (mu[a] + mu[b])
    alpha = torch.softmax(K @ q / K.shape[-1] ** 0.5, -1)
    return alpha @ V, alpha
