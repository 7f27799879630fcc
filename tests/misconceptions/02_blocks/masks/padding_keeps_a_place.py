# expect: reject
# hint: A text that is all padding has no real token: its padding mask is False at every key.
# keeps: masked_softmax
def causal_mask(n: int) -> Tensor:
    return torch.ones(n, n, dtype=torch.bool).tril()


def padding_mask(ids: Tensor, pad: int) -> Tensor:
    real = ids != pad
    real[:, 0] |= ~real.any(1)
    return real[:, None, None, :]


def decoder_mask(ids: Tensor, pad: int) -> Tensor:
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask, float("-inf")).softmax(-1).masked_fill(~mask, 0.0)
