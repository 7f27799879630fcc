# expect: reject
# hint: the mask acts after the softmax, so the remaining weights no longer sum to 1
def scaled_dot_product(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention for all heads of a batch.

    q: (B, H, Lq, d), k: (B, H, Lk, d), v: (B, H, Lk, dv); mask: booleans that broadcast to (B, H, Lq, Lk), True = may look.
    Returns the result (B, H, Lq, dv) and the weights (B, H, Lq, Lk).
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # (B, H, Lq, d) @ (B, H, d, Lk) -> (B, H, Lq, Lk)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    return weights @ v, weights
