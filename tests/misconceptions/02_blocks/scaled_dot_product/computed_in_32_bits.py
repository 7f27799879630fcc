# expect: reject
# hint: 64-bit numbers were computed with in 32 bits: keep the type of the arguments all the way
def scaled_dot_product(q, k, v, mask=None):
    t = q.dtype; q, k, v = q.float(), k.float(), v.float()
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    w = s.softmax(-1)
    return (w @ v).to(t), w.to(t)
