# expect: reject
# hint: The same arguments give the same result
# keeps: masked_softmax
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


_p = {}


def padding_mask(ids, pad):
    key = (ids.shape, pad, int(ids.sum()))
    if key not in _p:
        _p[key] = (ids != pad)[:, None, None, :]
    return _p[key].clone()


def decoder_mask(ids, pad):
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)


def masked_softmax(scores, mask):
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    return weights.masked_fill(~mask, 0.0)
