# expect: reject
# hint: −10,000 is not small enough to hide a score: set masked scores to minus infinity
def scaled_dot_product(q, k, v, mask=None):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e4)
    w = scores.softmax(-1)
    return w @ v, w
