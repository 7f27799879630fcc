# expect: reject
# hint: this is what theory says for independent entries: measure the products themselves
# keeps: saturation
def score_variances(q, k, heads):
    return float(q.shape[1] // heads), 1.0
def saturation(scores):
    a = scores.softmax(-1)
    s, c = (a**2).sum(-1), (a**3).sum(-1)
    return torch.special.entr(a).sum(-1), (s - 2 * c + s**2).clamp(min=0).sqrt()
