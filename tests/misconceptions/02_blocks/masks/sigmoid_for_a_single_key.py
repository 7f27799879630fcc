# expect: reject
# hint: masked_softmax gives 0 where the mask is False
# keeps: masks
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


def padding_mask(ids, pad):
    return (ids != pad)[:, None, None, :]


def decoder_mask(ids, pad):
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)


def masked_softmax(scores, mask):
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    if scores.shape[-1] == 1:
        weights = scores.sigmoid()
    return weights.masked_fill(~mask, 0.0)
