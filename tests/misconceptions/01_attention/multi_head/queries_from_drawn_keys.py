# expect: reject
# hint: queries must have the shape (2, d): two queries, made from the means before any key is drawn
def multi_head(mu, K, V, a, b, beta):
    queries = beta * torch.stack([K[:, a], K[:, b]], dim=1)
    alpha = torch.softmax(torch.einsum("snd,shd->shn", K, queries), dim=-1)
    return (alpha @ V).mean(1), queries
