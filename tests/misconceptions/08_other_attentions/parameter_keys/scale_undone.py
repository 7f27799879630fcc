# expect: reject
# hint: the scores are scaled by √(d+1), but scale=1.0 is given to the attention
# Multiplies by a root that nobody divides by.
def parameter_keys(hidden: Tensor, B: Tensor, b2: Tensor) -> tuple[Tensor, Tensor]:
    """Queries and keys whose dot products are the synthesizer's scores.

    Args:
        hidden: (batch, H, T, d), ReLU(X A + b1) of every head.
        B: (H, d, block), with block >= T.
        b2: (H, block).

    Returns:
        q and k, (batch, H, T, e) each, with any width e you need; for ``scale=1.0``.
    """
    batch, H, T, d = hidden.shape
    q = torch.cat([hidden, hidden.new_ones(batch, H, T, 1)], -1) * (d + 1) ** 0.5  # (batch, H, T, d+1)
    k = torch.cat([B[..., :T].mT, b2[:, :T, None]], -1)  # (H, T, d) and (H, T, 1) -> (H, T, d+1)
    return q, k.expand(batch, H, T, d + 1)
