# expect: reject
# hint: the other items get no weight at all: the softmax must run over all n items, not a and b alone
def single_head(mu, K, V, a, b, beta):
    scores = K @ (beta * (mu[a] + mu[b]))
    alpha = torch.zeros_like(scores)
    alpha[:, [a, b]] = torch.softmax(scores[:, [a, b]], dim=-1)
    return alpha @ V, alpha
