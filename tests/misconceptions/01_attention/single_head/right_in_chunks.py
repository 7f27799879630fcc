# expect: accept
def single_head(mu, K, V, a, b, beta):
    q = beta * (mu[a] + mu[b])
    alpha = torch.cat([(part @ q).softmax(-1) for part in K.split(1000)])
    return alpha @ V, alpha
