# expect: reject
# hint: thousands of queries and keys are attended in full
def scaled_dot_product(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    if scores.shape[-1] > 512:
        weights = torch.cat([s.softmax(-1) for s in scores.split(512, -1)], -1)
    else:
        weights = scores.softmax(-1)
    return weights @ v, weights
