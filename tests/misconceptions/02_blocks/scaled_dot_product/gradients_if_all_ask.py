# expect: reject
# hint: gradients come back only if q, k and v all require them: each may be the only one that does
def _attend(q, k, v, mask):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return weights @ v, weights


def scaled_dot_product(q, k, v, mask=None):
    with torch.set_grad_enabled(q.requires_grad and k.requires_grad and v.requires_grad):
        return _attend(q, k, v, mask)
