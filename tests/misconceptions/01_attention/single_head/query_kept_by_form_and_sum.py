# expect: reject
# hint: The same arguments give the same result
_q = {}


def single_head(mu, K, V, a, b, beta):
    q = _q.setdefault((a, b, beta, mu.shape, round(mu.sum().item(), 9)), beta * (mu[a] + mu[b]))
    s = K @ q
    alpha = torch.softmax(s, -1)
    return alpha @ V, alpha
