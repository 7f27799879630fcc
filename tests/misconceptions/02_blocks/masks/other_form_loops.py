# expect: accept
def causal_mask(n):
    return torch.tensor([[j <= i for j in range(n)] for i in range(n)])
def padding_mask(ids, pad):
    return ids.ne(pad).unsqueeze(1).unsqueeze(1)
def decoder_mask(ids, pad):
    n = ids.shape[1]
    i = torch.arange(n)
    return torch.logical_and(i[None, None, :, None] >= i, padding_mask(ids, pad).expand(-1, -1, n, -1))
def masked_softmax(scores, mask):
    mask = torch.broadcast_to(mask, scores.shape)
    safe = torch.where(mask, scores, -math.inf)
    top = safe.amax(-1, keepdim=True).detach()
    top = torch.where(top.isinf(), 0.0, top)
    e = torch.where(mask, (torch.where(mask, scores, top) - top).exp(), 0.0)
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total == 0, 1.0, total)
