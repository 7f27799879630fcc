# expect: reject
# hint: a score of thousands or millions is taken as it is
def single_head(mu, K, V, a, b, beta):
    beta = min(float(beta), 1000.0)
    alpha = torch.softmax(K @ (beta * (mu[a] + mu[b])), dim=-1)
    return alpha @ V, alpha
