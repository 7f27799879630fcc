# expect: reject
# hint: A function leaves its arguments as they are
def last_token(logits: Tensor, x: Tensor) -> Tensor:
    x[x == UNK] = UNK + 1
    last = (x != PAD).sum(1) - 1
    return logits[torch.arange(len(x)), last]
