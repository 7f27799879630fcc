# expect: reject
# hint: the query was built from the drawn keys, which nobody knows in advance: use the means
def single_head(mu, K, V, a, b, beta):
    query = beta * (K[:, a] + K[:, b])
    alpha = torch.softmax(torch.einsum("snd,sd->sn", K, query), dim=-1)
    return alpha @ V, alpha
