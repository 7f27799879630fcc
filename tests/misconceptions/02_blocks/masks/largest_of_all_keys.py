# expect: reject
# hint: the largest score is taken over all keys, hidden ones too: where a hidden one is far larger, every exponential that counts becomes 0
# keeps: masks
def causal_mask(n: int) -> Tensor:
    return torch.ones(n, n, dtype=torch.bool).tril()


def padding_mask(ids: Tensor, pad: int) -> Tensor:
    return (ids != pad)[:, None, None, :]


def decoder_mask(ids: Tensor, pad: int) -> Tensor:
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)


def masked_softmax(scores, mask):
    e = torch.exp(scores - scores.max(-1, keepdim=True).values) * mask
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total == 0, torch.ones_like(total), total)
