# expect: reject
# hint: a score of 0 (or of −1e-9) is not hidden, since exp(0) = 1: use minus infinity, not scores × mask
# keeps: masks
def causal_mask(n: int) -> Tensor:
    return torch.ones(n, n, dtype=torch.bool).tril()


def padding_mask(ids: Tensor, pad: int) -> Tensor:
    return (ids != pad)[:, None, None, :]


def decoder_mask(ids: Tensor, pad: int) -> Tensor:
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    return (scores * mask).softmax(-1) * mask
