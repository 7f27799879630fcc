# expect: reject
# hint: that is the first position, which has read nothing but SOS
def last_token(logits: Tensor, x: Tensor) -> Tensor:
    """The logits at the last token of each row that is not PAD.

    Args:
        logits: (B, T, C).
        x: ids (B, T); PAD stands only at the right end, and every row has at least one other token.

    Returns:
        (B, C).
    """
    last = (x != PAD).sum(1) - 1  # (B, T) -> (B,)
    return logits[:, 0]  # (B, T, C) -> (B, C)
