# expect: reject
# hint: rows of filling are hidden too: the padding mask speaks of keys, not of queries
# keeps: masked_softmax
def causal_mask(n):
    i = torch.arange(n)
    return i.unsqueeze(1) >= i.unsqueeze(0)


def padding_mask(ids, pad):
    return (ids != pad).unsqueeze(1).unsqueeze(2)


def decoder_mask(ids, pad):
    r = ids != pad
    return causal_mask(ids.shape[1]) & r[:, None, None, :] & r[:, None, :, None]


def masked_softmax(scores, mask):
    top = scores.masked_fill(~mask, -1e30).amax(-1, keepdim=True)
    e = torch.where(mask, torch.exp(torch.clamp(scores - top, max=0.0)), torch.zeros_like(scores))
    s = e.sum(-1, keepdim=True)
    return e / torch.where(s > 0, s, torch.ones_like(s))
