# expect: reject
# hint: the result has the shape of the scores, however many axes these have
# keeps: masks
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


def padding_mask(ids, pad):
    return (ids != pad)[:, None, None, :]


def decoder_mask(ids, pad):
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)


def masked_softmax(scores, mask):
    scores = scores.reshape(-1, *scores.shape[-3:]) if scores.dim() > 4 else scores
    s = scores.masked_fill(~mask, float("-inf"))
    return s.softmax(-1).masked_fill(~mask, 0.0)
