# expect: reject
# hint: a text that is all padding leaves the others as they are: replace its rows alone
# keeps: masks
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


def padding_mask(ids, pad):
    return (ids != pad)[:, None, None, :]


def decoder_mask(ids, pad):
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)


def masked_softmax(scores, mask):
    s = scores.masked_fill(~mask, float("-inf"))
    w = s.softmax(-1)
    return torch.zeros_like(w) if w.isnan().all(-1).all(-1).any() and w.dim() > 3 else w.masked_fill(~mask, 0.0)
