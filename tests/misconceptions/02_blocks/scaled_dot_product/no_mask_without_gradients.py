# expect: reject
# hint: with or without gradients the result is the same: do not ask whether they are kept
def scaled_dot_product(q, k, v, mask=None):
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None and torch.is_grad_enabled():
        s = s.masked_fill(~mask, float("-inf"))
    w = s.softmax(-1)
    return w @ v, w
