# expect: reject
# hint: The same arguments give the same result, however often it is asked for
# keeps: masks
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


def padding_mask(ids, pad):
    return (ids != pad)[:, None, None, :]


def decoder_mask(ids, pad):
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)


def masked_softmax(scores, mask):
    s = scores.masked_fill(~mask, float("-inf"))
    return s.softmax(-1).masked_fill(~mask, 0.0) if torch.is_grad_enabled() else s.softmax(-1)
