# expect: reject
# hint: the variance of small numbers is small: add nothing to it
# keeps: saturation
def score_variances(q, k, heads):
    n, D = q.shape
    products = (q * k).view(n, heads, D // heads).sum(-1)
    v = products.var().item() + 1e-6
    return v, v / (D // heads)


def saturation(scores):
    alpha = scores.softmax(-1)
    square, cube = (alpha**2).sum(-1), (alpha**3).sum(-1)
    return torch.special.entr(alpha).sum(-1), (square - 2 * cube + square**2).clamp(min=0).sqrt()
