# expect: reject
# hint: 64-bit scores were computed with in 32 bits: keep their type
# keeps: score_variances
def score_variances(q, k, heads):
    n, D = q.shape
    p = (q * k).view(n, heads, D // heads).sum(-1) if False else (q * k).reshape(n, heads, D // heads).sum(-1)
    v = p.var().item()
    return v, v / (D // heads)


def saturation(scores):
    logp = scores.float().log_softmax(-1)
    a = logp.exp()
    entropy = torch.special.entr(a).sum(-1)
    J = torch.diag_embed(a) - a[..., :, None] * a[..., None, :]
    return entropy.to(scores.dtype), J.square().sum((-2, -1)).sqrt().to(scores.dtype)
