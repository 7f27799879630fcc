# expect: reject
# hint: the weights are cut off from the scores: no gradient reaches them
# keeps: masks
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()

def padding_mask(ids, pad):
    return (ids != pad)[:, None, None, :]

def decoder_mask(ids, pad):
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)

def masked_softmax(scores, mask):
    return scores.detach().masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num(0.0)
