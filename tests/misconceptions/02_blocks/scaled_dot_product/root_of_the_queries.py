# expect: reject
# hint: the root is that of the width of a query, the last axis, not of the number of queries
def scaled_dot_product(q, k, v, mask=None):
    s = q @ k.transpose(-2, -1) / q.shape[-2] ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    w = s.softmax(-1)
    return w @ v, w
