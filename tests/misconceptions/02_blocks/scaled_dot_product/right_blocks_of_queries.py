# expect: accept
def scaled_dot_product(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.cat([s.softmax(-1) for s in scores.split(512, -2)], -2)
    return torch.cat([w @ v for w in weights.split(512, -2)], -2), weights
