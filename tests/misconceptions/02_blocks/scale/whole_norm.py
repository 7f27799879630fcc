# expect: reject
# hint: each row of scores has a Jacobian of its own
# keeps: score_variances
def score_variances(q, k, heads):
    p = (q * k).reshape(len(q), heads, -1).sum(-1)
    v = p.var().item()
    return v, v / (q.shape[1] // heads)
def saturation(scores):
    a = scores.softmax(-1)
    j = torch.diag_embed(a) - a.unsqueeze(-1) * a.unsqueeze(-2)
    return torch.special.entr(a).sum(-1), j.norm().expand(a.shape[:-1])
