# expect: reject
# hint: only the mask of the first head is used: each head may have a mask of its own
def scaled_dot_product(q, k, v, mask=None):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask[:, :1], float("-inf"))
    w = scores.softmax(-1)
    return w @ v, w
