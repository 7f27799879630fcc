# expect: reject
# hint: without a graph no gradient comes back: leave torch.no_grad to those who only evaluate
@torch.no_grad()
def scaled_dot_product(q, k, v, mask=None):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    w = scores.softmax(-1)
    return w @ v, w
