# expect: reject
# hint: The same arguments give the same result, however often it is asked for
def scaled_dot_product(q, k, v, mask=None):
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None and torch.is_grad_enabled():
        s = s.masked_fill(~mask, float("-inf"))
    w = s.softmax(-1)
    return w @ v, w
