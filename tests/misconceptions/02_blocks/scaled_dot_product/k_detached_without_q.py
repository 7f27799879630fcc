# expect: reject
# hint: k is cut off wherever q requires no gradients: k may be the only one that does
def scaled_dot_product(q, k, v, mask=None):
    if not q.requires_grad:
        k = k.detach()
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return weights @ v, weights
