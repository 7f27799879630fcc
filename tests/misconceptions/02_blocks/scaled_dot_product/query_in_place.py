# expect: reject
# hint: the queries are divided in place: the caller's tensor is changed
def scaled_dot_product(q, k, v, mask=None):
    q /= q.shape[-1] ** 0.5
    scores = q @ k.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    w = scores.softmax(-1)
    return w @ v, w
