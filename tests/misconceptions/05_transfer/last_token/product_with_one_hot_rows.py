# expect: reject
# hint: infinite logits at other places change nothing, and at the last token they stay
def last_token(logits: Tensor, x: Tensor) -> Tensor:
    last = (x != PAD).sum(1) - 1
    pick = F.one_hot(last, x.shape[1]).to(logits.dtype)
    return (pick[:, :, None] * logits).sum(1)
