# expect: reject
# hint: only the first mask of the batch is used
# keeps: masks
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()

def padding_mask(ids, pad):
    return (ids != pad)[:, None, None, :]

def decoder_mask(ids, pad):
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)

def masked_softmax(scores, mask):
    m = mask[:1] if mask.dim() == scores.dim() else mask
    return scores.masked_fill(~m, -torch.inf).softmax(-1).nan_to_num(0.0)
