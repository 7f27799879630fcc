# expect: reject
# hint: the queries are changed in place: the caller's tensor must stay as it is
# keeps: saturation
def score_variances(q, k, heads):
    d = q.shape[1] // heads
    q *= k
    p = q.reshape(len(q), heads, -1).sum(-1)
    return p.var().item(), p.var().item() / d
def saturation(scores):
    a = scores.softmax(-1)
    s, c = (a**2).sum(-1), (a**3).sum(-1)
    return torch.special.entr(a).sum(-1), (s - 2 * c + s**2).clamp(min=0).sqrt()
