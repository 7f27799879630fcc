# expect: reject
# hint: 64-bit scores give 32-bit results: no step may fix the number type
# keeps: score_variances
def score_variances(q: Tensor, k: Tensor, heads: int) -> tuple[float, float]:
    d = q.shape[1] // heads
    products = (q * k).unflatten(1, (heads, d)).sum(-1)
    return products.var().item(), (products / math.sqrt(d)).var().item()


def saturation(scores):
    a = scores.softmax(-1).float()
    s2 = (a**2).sum(-1)
    return torch.special.entr(a).sum(-1), (s2 - 2 * (a**3).sum(-1) + s2**2).clamp(min=0).sqrt()
