# expect: reject
# hint: exp overflows for large scores: subtract the largest score first, or use softmax
def scaled_dot_product(q, k, v, mask=None):
    e = (q @ k.mT / q.shape[-1] ** 0.5).exp()
    if mask is not None:
        e = e * mask
    w = e / e.sum(-1, keepdim=True)
    return w @ v, w
