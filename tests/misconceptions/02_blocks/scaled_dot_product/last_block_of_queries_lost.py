# expect: reject
# hint: thousands of queries and keys are attended in full
def scaled_dot_product(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    if weights.shape[-2] > 1024:
        result = torch.cat([w @ v for w in weights[..., : weights.shape[-2] // 1024 * 1024, :].split(1024, -2)], -2)
        return result, weights
    return weights @ v, weights
