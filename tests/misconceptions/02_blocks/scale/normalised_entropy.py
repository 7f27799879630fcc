# expect: reject
# hint: the entropy is in nats, not as a share of ln n
# keeps: score_variances
def score_variances(q, k, heads):
    p = (q * k).reshape(len(q), heads, -1).sum(-1)
    v = p.var().item()
    return v, v / (q.shape[1] // heads)
def saturation(scores):
    a = scores.softmax(-1)
    s, c = (a**2).sum(-1), (a**3).sum(-1)
    return torch.special.entr(a).sum(-1) / math.log(max(a.shape[-1], 2)), (s - 2 * c + s**2).clamp(min=0).sqrt()
