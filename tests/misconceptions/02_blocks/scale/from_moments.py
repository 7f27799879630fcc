# expect: reject
# hint: this is what theory says for independent entries: measure the products themselves
# keeps: saturation
def score_variances(q, k, heads):
    d = q.shape[1] // heads
    v = d * q.var().item() * k.var().item()
    return v, v / d
def saturation(scores):
    a = scores.softmax(-1)
    s, c = (a**2).sum(-1), (a**3).sum(-1)
    return torch.special.entr(a).sum(-1), (s - 2 * c + s**2).clamp(min=0).sqrt()
