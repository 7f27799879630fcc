# expect: accept
def single_head(mu, K, V, a, b, beta):
    S, n, d = K.shape
    q = (beta * (mu[a] + mu[b])).expand(S, 1, d)
    alpha = torch.nn.functional.scaled_dot_product_attention(
        q, K, torch.eye(n, dtype=K.dtype).expand(S, n, n), scale=1.0
    )[:, 0]  # with unit vectors as values the outputs are the weights
    return torch.einsum("sn,np->sp", alpha, V), alpha
