# expect: reject
# hint: one empty row must not empty the others: set the weights to 0 there alone
# keeps: masks
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()

def padding_mask(ids, pad):
    return (ids != pad)[:, None, None, :]

def decoder_mask(ids, pad):
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)

def masked_softmax(scores, mask):
    w = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return torch.zeros_like(w) if w.isnan().any() else w
