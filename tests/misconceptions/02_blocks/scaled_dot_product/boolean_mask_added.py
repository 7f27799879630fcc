# expect: reject
# hint: adding a boolean mask adds 1 where one may look; set the other scores to minus infinity
def scaled_dot_product(q, k, v, mask=None):
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        s = s + mask
    return s.softmax(-1) @ v, s.softmax(-1)
