# expect: reject
# hint: c must be the weights times the values, draw by draw
def single_head(mu, K, V, a, b, beta):
    alpha = torch.softmax(K @ (beta * (mu[a] + mu[b])), dim=-1)
    return torch.einsum("sn,nd->sd", alpha, mu)[:, : V.shape[1]], alpha
