# expect: reject
# hint: both stay finite, and right, where one weight is nearly 1
# keeps: score_variances
def score_variances(q, k, heads):
    p = (q * k).reshape(len(q), heads, -1).sum(-1)
    v = p.var().item()
    return v, v / (q.shape[1] // heads)
def saturation(scores):
    a = scores.softmax(-1)
    s, c = (a**2).sum(-1), (a**3).sum(-1)
    return torch.special.entr(a).sum(-1), (s - 2 * c + s**2).sqrt()
