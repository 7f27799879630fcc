# expect: accept
def multi_head(mu, K, V, a, b, beta):
    queries = beta * torch.stack([mu[b], mu[a]])
    alpha = torch.softmax(torch.einsum("snd,hd->shn", K, queries), dim=-1)
    return (alpha @ V).mean(dim=1), queries
