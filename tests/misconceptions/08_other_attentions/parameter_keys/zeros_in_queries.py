# expect: reject
# hint: the bias is missing: it is one more feature, 1 in q and b2 in k
# A feature of zeros carries nothing.
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
    q = torch.cat([hidden, hidden.new_zeros(batch, H, T, 1)], -1)  # (batch, H, T, d+1)
    k = torch.cat([B[..., :T].mT, b2[:, :T, None]], -1)  # (H, T, d) and (H, T, 1) -> (H, T, d+1)
    return q, k.expand(batch, H, T, d + 1)
