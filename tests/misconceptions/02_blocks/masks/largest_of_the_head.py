# expect: reject
# hint: the largest score of a whole head, or of all scores, is subtracted: in rows with much smaller scores every exponential becomes 0; each row needs its own
# keeps: masks
def causal_mask(n: int) -> Tensor:
    return torch.ones(n, n, dtype=torch.bool).tril()


def padding_mask(ids: Tensor, pad: int) -> Tensor:
    return (ids != pad)[:, None, None, :]


def decoder_mask(ids: Tensor, pad: int) -> Tensor:
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)


def masked_softmax(scores, mask):
    s = scores.masked_fill(~mask, float("-inf"))
    e = torch.exp(s - scores.amax((-2, -1), keepdim=True))
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total == 0, torch.ones_like(total), total)
