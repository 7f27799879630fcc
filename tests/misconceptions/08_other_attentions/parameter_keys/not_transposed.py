# expect: reject
# hint: key s is column s of B: B must be transposed, which a reshape does not do
# Rows of B in place of columns.
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
    q = torch.cat([hidden, hidden.new_ones(batch, H, T, 1)], -1)
    k = torch.cat([B[..., :T], b2[:, None, :T]], 1)
    return q, k.expand(batch, H, d + 1, T)
