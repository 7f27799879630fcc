# expect: reject
# hint: the bias stands in the queries: it must be b2 in the keys and 1 in the queries
# Bias and one change places.
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
    q = torch.cat([hidden, b2[:, :T, None].expand(batch, -1, -1, -1)], -1)  # (batch, H, T, d+1)
    k = torch.cat([B[..., :T].mT, torch.ones(H, T, 1, dtype=B.dtype)], -1)  # (H, T, d) and (H, T, 1) -> (H, T, d+1)
    return q, k.expand(batch, H, T, d + 1)
