# expect: reject
# hint: that is one position too early: the last of n tokens has the index n − 1
def last_token(logits: Tensor, x: Tensor) -> Tensor:
    """The logits at the last token of each row that is not PAD.

    Args:
        logits: (B, T, C).
        x: ids (B, T); PAD stands only at the right end, and every row has at least one other token.

    Returns:
        (B, C).
    """
    last = (x != PAD).sum(1) - 2  # (B, T) -> (B,)
    return logits[torch.arange(len(x), device=x.device), last]  # (B, T, C) -> (B, C)
