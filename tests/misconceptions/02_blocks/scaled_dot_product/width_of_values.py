# expect: reject
# hint: the scale is √d of queries and keys; the values may have another width
def scaled_dot_product(q, k, v, mask=None):
    scores = q @ k.mT / v.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    w = scores.softmax(-1)
    return w @ v, w
