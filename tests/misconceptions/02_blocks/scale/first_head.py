# expect: reject
# hint: this is the variance of one head: all heads count
# keeps: saturation
def score_variances(q, k, heads):
    d = q.shape[1] // heads
    v = (q * k)[:, :d].sum(1).var().item()
    return v, v / d
def saturation(scores):
    a = scores.softmax(-1)
    s, c = (a**2).sum(-1), (a**3).sum(-1)
    return torch.special.entr(a).sum(-1), (s - 2 * c + s**2).clamp(min=0).sqrt()
