# expect: reject
# hint: the mask is given another axis than torch's rules would: axes of a mask are counted from the last one
def scaled_dot_product(q, k, v, mask=None):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        if mask.dim() == 3: mask = mask[:, None]
        scores = scores.masked_fill(~mask, float("-inf"))
    w = scores.softmax(-1)
    return w @ v, w
