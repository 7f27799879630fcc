# expect: reject
# hint: the 1 in q stands first and b2 in k last: both must be the same feature
# 1 in front, b2 behind.
def parameter_keys(hidden: Tensor, B: Tensor, b2: Tensor) -> tuple[Tensor, Tensor]:
    """Queries and keys whose dot products are the synthesizer's scores.

    Args:
        hidden: (batch, H, T, d), ReLU(X A + b1) of every head.
        B: (H, d, block), with block >= T.
        b2: (H, block).

    Returns:
        q and k, (batch, H, T, e) each, with any width e you need; for ``scale=1.0``.
    """
    b, H, T, d = hidden.shape
    k = torch.cat([B[..., :T].mT, b2[:, :T, None]], -1)
    return torch.cat([torch.ones(b, H, T, 1, dtype=hidden.dtype), hidden], -1), k.expand(b, H, T, d + 1)
