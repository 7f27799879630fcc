# expect: reject
# hint: exp overflows for large scores: use softmax
# keeps: score_variances
def score_variances(q, k, heads):
    p = (q * k).reshape(len(q), heads, -1).sum(-1)
    v = p.var().item()
    return v, v / (q.shape[1] // heads)
def saturation(scores):
    a = scores.exp() / scores.exp().sum(-1, keepdim=True)
    s, c = (a**2).sum(-1), (a**3).sum(-1)
    return torch.special.entr(a).sum(-1), (s - 2 * c + s**2).clamp(min=0).sqrt()
