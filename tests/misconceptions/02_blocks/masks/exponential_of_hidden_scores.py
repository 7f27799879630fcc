# expect: reject
# hint: gradients are finite where hidden scores
# keeps: masks
def causal_mask(n: int) -> Tensor:
    return torch.ones(n, n, dtype=torch.bool).tril()

def padding_mask(ids: Tensor, pad: int) -> Tensor:
    return (ids != pad)[:, None, None, :]

def decoder_mask(ids: Tensor, pad: int) -> Tensor:
    return padding_mask(ids, pad) & causal_mask(ids.shape[1])

def masked_softmax(scores, mask):
    top = scores.masked_fill(~mask, -torch.inf).amax(-1, keepdim=True)
    top = torch.where(torch.isfinite(top), top, torch.zeros_like(top)).detach()
    e = torch.where(mask, (scores - top).exp(), torch.zeros_like(scores))
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total > 0, total, torch.ones_like(total))
