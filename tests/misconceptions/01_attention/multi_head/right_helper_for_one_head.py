# expect: accept
def one_head(query, K, V):
    return torch.softmax(torch.einsum("snd,d->sn", K, query), dim=1) @ V


def multi_head(mu, K, V, a, b, beta):
    queries = beta * torch.cat([mu[a : a + 1], mu[b : b + 1]])
    return torch.stack([one_head(query, K, V) for query in queries]).mean(0), queries
