# expect: reject
# hint: that is the last position, which is padding in short rows: take the last real token
def last_token(logits: Tensor, x: Tensor) -> Tensor:
    """The logits at the last token of each row that is not PAD.

    Args:
        logits: (B, T, C).
        x: ids (B, T); PAD stands only at the right end, and every row has at least one other token.

    Returns:
        (B, C).
    """
    last = (x != PAD).sum(1) - 1  # (B, T) -> (B,)
    return logits[:, -1]  # (B, T, C) -> (B, C)
