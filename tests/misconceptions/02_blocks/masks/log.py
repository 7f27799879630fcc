# expect: accept
def causal_mask(n):
    return torch.tril(torch.full((n, n), True))
def padding_mask(ids, pad):
    return ~ids.eq(pad).view(len(ids), 1, 1, -1)
def decoder_mask(ids, pad):
    n = ids.size(-1)
    return padding_mask(ids, pad).expand(-1, 1, n, n) & causal_mask(n)[None, None]
def masked_softmax(scores, mask):
    full = torch.broadcast_to(mask, scores.shape)
    low = scores.masked_fill(~full, torch.finfo(scores.dtype).min)
    return (low - low.logsumexp(-1, keepdim=True)).exp() * full
