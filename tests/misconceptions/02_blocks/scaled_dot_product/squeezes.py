# expect: reject
# hint: an axis of size 1 is squeezed away: the result keeps the shape (B, H, Lq, dv)
def scaled_dot_product(q, k, v, mask=None):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    w = scores.softmax(-1)
    return (w @ v).squeeze(1), w
