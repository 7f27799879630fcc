# expect: reject
# hint: thousands of queries and keys are attended in full
def scaled_dot_product(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    if scores.shape[-1] > 256:
        scores = scores.masked_fill(torch.arange(scores.shape[-1]) < scores.shape[-1] - 256, -1e9)
    weights = scores.softmax(-1)
    return weights @ v, weights
