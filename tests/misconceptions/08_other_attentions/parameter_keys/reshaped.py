# expect: reject
# hint: key s is column s of B: B must be transposed, which a reshape does not do
# reshape instead of a transposition.
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
    k = torch.cat([B[..., :T].reshape(H, T, d), b2[:, :T, None]], -1)
    return torch.cat([hidden, torch.ones(b, H, T, 1, dtype=hidden.dtype)], -1), k.expand(b, H, T, d + 1)
