# expect: reject
# hint: clamping changes scores: subtract the largest one instead, which changes no weight
# keeps: masks
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()

def padding_mask(ids, pad):
    return (ids != pad)[:, None, None, :]

def decoder_mask(ids, pad):
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)

def masked_softmax(scores, mask):
    e = scores.clamp(-80, 80).exp() * mask
    return e / e.sum(-1, keepdim=True).clamp_min(1e-30)
