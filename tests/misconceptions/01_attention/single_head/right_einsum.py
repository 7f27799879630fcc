# expect: accept
def single_head(mu, K, V, a, b, beta):
    scores = beta * torch.einsum("snd,hd->sn", K, torch.stack([mu[a], mu[b]]))
    alpha = scores.softmax(1)
    return torch.einsum("sn,ne->se", alpha, V), alpha
