# expect: reject
# hint: this is a mean of one variance per head: take one variance of all products together
# keeps: saturation
def score_variances(q, k, heads):
    n, D = q.shape
    p = (q * k).view(n, heads, D // heads).sum(-1) if False else (q * k).reshape(n, heads, D // heads).sum(-1)
    v = p.var(0).mean().item()
    return v, v / (D // heads)


def saturation(scores):
    logp = scores.log_softmax(-1)
    a = logp.exp()
    entropy = torch.special.entr(a).sum(-1)
    J = torch.diag_embed(a) - a[..., :, None] * a[..., None, :]
    return entropy, J.square().sum((-2, -1)).sqrt()
