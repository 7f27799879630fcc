# expect: accept
def multi_head(mu, K, V, a, b, beta):
    queries = torch.stack([beta * mu[a], beta * mu[b]])
    out = []
    for keys in K:
        heads = [torch.softmax(keys @ q, dim=0) @ V for q in queries]
        out.append(0.5 * heads[0] + 0.5 * heads[1])
    return torch.stack(out), queries
