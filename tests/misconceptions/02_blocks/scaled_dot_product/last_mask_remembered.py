# expect: reject
# hint: the mask of an earlier call is used again: without a mask nothing is hidden
_last = []

def scaled_dot_product(q, k, v, mask=None):
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
        _last[:] = [mask]
    elif _last and _last[0].shape == s.shape:
        s = s.masked_fill(~_last[0], float('-inf'))
    w = s.softmax(-1)
    return w @ v, w
