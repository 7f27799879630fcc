# expect: reject
# hint: the largest score that counts is that of an open key: a hidden key must not set the scale of the others
# keeps: masks
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()

def padding_mask(ids, pad):
    return (ids != pad)[:, None, None, :]

def decoder_mask(ids, pad):
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)

def masked_softmax(scores, mask):
    s = scores - scores.amax(-1, keepdim=True)
    e = s.exp() * mask
    return e / (e.sum(-1, keepdim=True) + 1e-9)
