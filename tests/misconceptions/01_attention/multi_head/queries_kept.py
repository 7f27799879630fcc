# expect: reject
# hint: The queries of an earlier call, made from other means, are used again: make them from mu in each call.
_seen = {}
def multi_head(mu, K, V, a, b, beta):
    key = (a, b, beta, mu.shape)
    if key not in _seen:
        _seen[key] = beta * torch.stack([mu[a], mu[b]])
    queries = _seen[key]
    alpha = torch.softmax(torch.einsum("snd,hd->shn", K, queries), dim=-1)
    return (alpha @ V).mean(1), queries
