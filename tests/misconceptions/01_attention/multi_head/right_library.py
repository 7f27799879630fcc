# expect: accept
def multi_head(mu, K, V, a, b, beta):
    S, n, d = K.shape
    queries = mu[torch.tensor([a, b])] * beta
    heads = torch.nn.functional.scaled_dot_product_attention(
        queries.expand(S, 2, d), K, V.expand(S, n, V.shape[1]), scale=1.0
    )
    return heads.sum(1) / 2, queries
