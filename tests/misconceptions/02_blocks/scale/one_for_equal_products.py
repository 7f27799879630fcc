# expect: reject
# hint: equal products have the variance 0, scaled or not
# keeps: saturation
def score_variances(q, k, heads):
    n, D = q.shape
    products = (q * k).view(n, heads, D // heads).sum(-1)
    v = products.var().item()
    scaled = products / math.sqrt(D // heads)
    return v, scaled.var().item() if v > 0 else 1 / (D // heads)


def saturation(scores):
    alpha = scores.softmax(-1)
    square, cube = (alpha**2).sum(-1), (alpha**3).sum(-1)
    return torch.special.entr(alpha).sum(-1), (square - 2 * cube + square**2).clamp(min=0).sqrt()
