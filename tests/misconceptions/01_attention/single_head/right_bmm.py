# expect: accept
def single_head(mu, K, V, a, b, beta):
    q = (beta * (mu[a] + mu[b])).expand(len(K), -1).unsqueeze(-1)  # (S, d, 1)
    alpha = torch.softmax(torch.bmm(K, q).squeeze(-1), dim=1)
    return torch.mm(alpha, V), alpha
