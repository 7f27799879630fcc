# expect: reject
# hint: masking after the softmax leaves rows that do not sum to 1
# keeps: masks
def causal_mask(n: int) -> Tensor:
    """(n, n) booleans: entry [i, j] says whether query i may look at key j, itself included."""
    return torch.ones(n, n, dtype=torch.bool).tril()


def padding_mask(ids: Tensor, pad: int) -> Tensor:
    """ids: (B, L) -> booleans (B, 1, 1, L), True at keys that are real tokens."""
    return (ids != pad)[:, None, None, :]  # (B, L) -> (B, 1, 1, L)


def decoder_mask(ids: Tensor, pad: int) -> Tensor:
    """ids: (B, L) -> booleans (B, 1, L, L), causal and padding combined."""
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis of scores (…, Lq, Lk) among the keys where mask (broadcastable) is True; 0 elsewhere."""
    weights = scores.softmax(-1)
    return weights.masked_fill(~mask, 0.0)  # a row without any key is NaN until here
