# expect: reject
# hint: the added ε changes the entropy: 0·ln 0 is 0, by torch.special.entr or torch.xlogy
# keeps: score_variances
def score_variances(q, k, heads):
    p = (q * k).reshape(len(q), heads, -1).sum(-1)
    v = p.var().item()
    return v, v / (q.shape[1] // heads)
def saturation(scores):
    a = scores.softmax(-1)
    s, c = (a**2).sum(-1), (a**3).sum(-1)
    return -(a * (a + 1e-3).log()).sum(-1), (s - 2 * c + s**2).clamp(min=0).sqrt()
