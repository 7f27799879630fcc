# expect: reject
# hint: a mask with three axes is (H, Lq, Lk), the same for all sequences: its first axis is not the batch
def scaled_dot_product(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        if mask.dim() == 3 and mask.shape[0] == q.shape[0]:
            mask = mask[:, None]
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return weights @ v, weights
