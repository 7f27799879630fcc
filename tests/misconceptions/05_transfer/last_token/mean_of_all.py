# expect: reject
# hint: that is the mean over positions: take the last real token alone
def last_token(logits: Tensor, x: Tensor) -> Tensor:
    """The logits at the last token of each row that is not PAD.

    Args:
        logits: (B, T, C).
        x: ids (B, T); PAD stands only at the right end, and every row has at least one other token.

    Returns:
        (B, C).
    """
    last = (x != PAD).sum(1) - 1  # (B, T) -> (B,)
    return logits.mean(1)  # (B, T, C) -> (B, C)
