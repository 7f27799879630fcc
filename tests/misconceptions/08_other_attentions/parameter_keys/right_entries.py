# expect: accept
# Filled entry by entry.
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
    q, k = hidden.new_ones(batch, H, T, d + 1), hidden.new_zeros(batch, H, T, d + 1)
    q[..., :d] = hidden
    for h in range(H):
        for s in range(T):
            k[:, h, s, :d] = B[h, :, s]
            k[:, h, s, d] = b2[h, s]
    return q, k
