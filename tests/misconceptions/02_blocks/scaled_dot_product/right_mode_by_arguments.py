# expect: accept
def _attend(q, k, v, mask):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return weights @ v, weights


def scaled_dot_product(q, k, v, mask=None):
    with torch.set_grad_enabled(torch.is_grad_enabled() and (q.requires_grad or k.requires_grad or v.requires_grad)):
        return _attend(q, k, v, mask)
