# expect: reject
# hint: a score of 0 is taken for none given: `or` replaces it; use beta as it comes
def multi_head(mu, K, V, a, b, beta):
    queries = (beta or 1.0) * torch.stack([mu[a], mu[b]])
    alpha = torch.softmax(torch.einsum("snd,hd->shn", K, queries), dim=-1)
    return (alpha @ V).mean(1), queries
