# expect: reject
# hint: a mask that hides a single key hides it all the same
def scaled_dot_product(q, k, v, mask=None):
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        s = s if mask.float().mean() > 0.9 else s.masked_fill(~mask, float('-inf'))
    w = s.softmax(-1)
    return w @ v, w
