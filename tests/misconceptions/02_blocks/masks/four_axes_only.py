# expect: reject
# hint: scores may have two or more axes: work on the last one, with -1
# keeps: masks
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()

def padding_mask(ids, pad):
    return (ids != pad)[:, None, None, :]

def decoder_mask(ids, pad):
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)

def masked_softmax(scores, mask):
    B, H, Lq, Lk = scores.shape
    return scores.masked_fill(~mask, -torch.inf).softmax(3).nan_to_num(0.0)
