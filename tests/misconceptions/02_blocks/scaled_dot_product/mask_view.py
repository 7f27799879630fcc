# expect: reject
# hint: the mask is forced into one shape: let it broadcast, each axis may be whole or 1
def scaled_dot_product(q, k, v, mask=None):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask.view(q.shape[0], 1, q.shape[2], k.shape[2]), float("-inf"))
    w = scores.softmax(-1)
    return w @ v, w
