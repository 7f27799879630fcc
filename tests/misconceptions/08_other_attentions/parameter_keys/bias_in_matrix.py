# expect: reject
# hint: the bias is added to B, where the query multiplies it: it must meet a 1 in q, as a feature of its own
# b2 added to every row of B.
def parameter_keys(hidden: Tensor, B: Tensor, b2: Tensor) -> tuple[Tensor, Tensor]:
    """Queries and keys whose dot products are the synthesizer's scores.

    Args:
        hidden: (batch, H, T, d), ReLU(X A + b1) of every head.
        B: (H, d, block), with block >= T.
        b2: (H, block).

    Returns:
        q and k, (batch, H, T, e) each, with any width e you need; for ``scale=1.0``.
    """
    T = hidden.shape[2]
    return hidden, (B + b2[:, None])[..., :T].mT.expand(hidden.shape)
