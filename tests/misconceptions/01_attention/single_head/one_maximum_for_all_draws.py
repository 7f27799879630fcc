# expect: reject
# hint: the largest score of all draws is taken away from every draw: where all scores of a draw are far smaller, every exponential becomes 0
def single_head(mu, K, V, a, b, beta):
    cs, ws = [], []
    for keys in K.unbind(0):
        s = torch.mv(keys, beta * (mu[a] + mu[b]))
        e = torch.exp(s - (K @ (beta * (mu[a] + mu[b]))).max()); w = e / e.sum()
        ws.append(w); cs.append(V.mT @ w)
    return torch.stack(cs), torch.stack(ws)
