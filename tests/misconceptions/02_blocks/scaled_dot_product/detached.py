# expect: reject
# hint: the weights are cut off from queries and keys: no gradient reaches them
def scaled_dot_product(q, k, v, mask=None):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    w = scores.softmax(-1).detach()
    return w @ v, w
