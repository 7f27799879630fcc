# expect: reject
# hint: 32-bit floats hold whole numbers up to 2²⁴ alone: compare the ids as they are
# keeps: masked_softmax
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


def padding_mask(ids, pad):
    return (ids.float() != float(pad))[:, None, None, :]


def decoder_mask(ids, pad):
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)


def masked_softmax(scores, mask):
    s = scores.masked_fill(~mask, float("-inf"))
    return s.softmax(-1).masked_fill(~mask, 0.0)
