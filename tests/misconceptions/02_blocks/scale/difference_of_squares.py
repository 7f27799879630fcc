# expect: reject
# hint: products far from 0 have their variance, too, in 32 bits
# keeps: saturation
def score_variances(q: Tensor, k: Tensor, heads: int) -> tuple[float, float]:
    products = (q * k).unflatten(-1, (heads, -1)).sum(-1)
    raw = ((products**2).mean() - products.mean() ** 2).item()
    return raw, raw / (q.shape[1] // heads)


def saturation(scores: Tensor) -> tuple[Tensor, Tensor]:
    a = scores.softmax(-1)
    J = torch.diag_embed(a) - a[..., :, None] * a[..., None, :]
    return torch.special.entr(a).sum(-1), J.flatten(-2).norm(dim=-1)
