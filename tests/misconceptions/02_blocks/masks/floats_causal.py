# expect: reject
# hint: masks are booleans: make them with dtype=torch.bool or a comparison
# keeps: masked_softmax
def causal_mask(n):
    return torch.ones(n, n).tril()
def padding_mask(ids, pad):
    return (ids != pad)[:, None, None, :]

def decoder_mask(ids, pad):
    return causal_mask(ids.shape[1]).bool() & padding_mask(ids, pad)
def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, float("-inf")).softmax(-1).masked_fill(~mask, 0.0)

