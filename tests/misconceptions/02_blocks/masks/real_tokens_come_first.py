# expect: reject
# hint: padding may stand on the left: compare every id with the padding id, do not count
# keeps: masked_softmax
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


def padding_mask(ids, pad):
    n = (ids != pad).sum(1, keepdim=True)
    return (torch.arange(ids.shape[1]) < n)[:, None, None, :]


def decoder_mask(ids, pad):
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)


def masked_softmax(scores, mask):
    s = scores.masked_fill(~mask, float("-inf"))
    return s.softmax(-1).masked_fill(~mask, 0.0)
