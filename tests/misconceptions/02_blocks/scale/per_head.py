# expect: reject
# hint: one variance of all products together: a mean of each head's variance forgets that their means differ
# keeps: saturation
def score_variances(q, k, heads):
    p = (q * k).reshape(len(q), heads, -1).sum(-1)
    v = p.var(0).mean().item()
    return v, v / (q.shape[1] // heads)
def saturation(scores):
    a = scores.softmax(-1)
    s, c = (a**2).sum(-1), (a**3).sum(-1)
    return torch.special.entr(a).sum(-1), (s - 2 * c + s**2).clamp(min=0).sqrt()
