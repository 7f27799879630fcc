# expect: reject
# hint: the padding may stand on the left: each key counts by its own id, not by what came before
# keeps: masked_softmax
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()

def padding_mask(ids, pad):
    return ((ids == pad).cumsum(1) == 0)[:, None, None, :]
def decoder_mask(ids, pad):
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)

def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, float("-inf")).softmax(-1).masked_fill(~mask, 0.0)

