# expect: reject
# hint: not the drawn keys
def multi_head(mu, K, V, a, b, beta):
    drawn = [torch.einsum("snd,sd->sn", K, beta * K[:, i]) for i in (a, b)]
    return sum(torch.softmax(scores, dim=-1) @ V for scores in drawn) / 2, beta * torch.stack([mu[a], mu[b]])
