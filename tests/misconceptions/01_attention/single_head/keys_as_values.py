# expect: reject
# hint: weights times the values
def single_head(mu, K, V, a, b, beta):
    alpha = torch.softmax(K @ (beta * (mu[a] + mu[b])), dim=-1)
    return torch.einsum("sn,nd->sd", alpha, mu)[:, : V.shape[1]], alpha
