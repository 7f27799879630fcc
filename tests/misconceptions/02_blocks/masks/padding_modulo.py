# expect: reject
# hint: the padding id may be any number, negative or large: compare with it as it is
# keeps: masked_softmax
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


def padding_mask(ids, pad):
    return (ids != pad % 1000)[:, None, None, :]


def decoder_mask(ids, pad):
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)


def masked_softmax(scores, mask):
    s = scores.masked_fill(~mask, float("-inf"))
    return s.softmax(-1).masked_fill(~mask, 0.0)
