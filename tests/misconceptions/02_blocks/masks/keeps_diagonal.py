# expect: reject
# hint: no query may look at padding, not even at itself
# keeps: masked_softmax
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()

def padding_mask(ids, pad):
    return (ids != pad)[:, None, None, :]

def decoder_mask(ids, pad):
    L = ids.shape[1]
    return causal_mask(L) & (padding_mask(ids, pad) | torch.eye(L, dtype=torch.bool))
def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, float("-inf")).softmax(-1).masked_fill(~mask, 0.0)

