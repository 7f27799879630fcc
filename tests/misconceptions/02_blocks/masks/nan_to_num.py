# expect: reject
# hint: exp overflows for large scores: subtract the largest one, or use softmax
# keeps: masks
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()

def padding_mask(ids, pad):
    return (ids != pad)[:, None, None, :]

def decoder_mask(ids, pad):
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)

def masked_softmax(scores, mask):
    e = scores.exp() * mask
    return (e / e.sum(-1, keepdim=True)).nan_to_num(0.0)
