# expect: accept
def attention(q, K, V):
    scores = (K * q).sum(dim=1)
    alpha = torch.exp(scores - torch.logsumexp(scores, dim=0))
    return torch.mv(V.T, alpha), alpha
