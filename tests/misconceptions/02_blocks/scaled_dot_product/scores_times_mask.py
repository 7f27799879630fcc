# expect: reject
# hint: a score of 0 is not hidden, since exp(0) = 1: set masked scores to minus infinity, not to scores × mask
def scaled_dot_product(q, k, v, mask=None):
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        s = s * mask
    return s.softmax(-1) @ v, s.softmax(-1)
