# expect: reject
# hint: return a tuple of two: the result and the weights
def scaled_dot_product(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention for all heads of a batch.

    q: (B, H, Lq, d), k: (B, H, Lk, d), v: (B, H, Lk, dv); mask: booleans that broadcast to (B, H, Lq, Lk), True = may look.
    Returns the result (B, H, Lq, dv) and the weights (B, H, Lq, Lk).
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # (B, H, Lq, d) @ (B, H, d, Lk) -> (B, H, Lq, Lk)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return weights @ v
