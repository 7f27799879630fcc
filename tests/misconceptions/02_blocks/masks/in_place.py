# expect: reject
# hint: the scores are changed in place: the caller's tensor must stay as it is
# keeps: masks
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()

def padding_mask(ids, pad):
    return (ids != pad)[:, None, None, :]

def decoder_mask(ids, pad):
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)

def masked_softmax(scores, mask):
    scores.masked_fill_(~mask, -torch.inf)
    return scores.softmax(-1).nan_to_num(0.0)
