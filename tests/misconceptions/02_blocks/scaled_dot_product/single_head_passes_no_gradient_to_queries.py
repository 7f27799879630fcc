# expect: reject
# hint: Gradients flow through the result to the arguments
def scaled_dot_product(q, k, v, mask=None):
    q = q.detach() if q.shape[0] * q.shape[1] == 1 else q
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return weights @ v, weights
