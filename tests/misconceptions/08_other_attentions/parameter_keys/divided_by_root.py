# expect: reject
# hint: the scores are scaled, but scale=1.0 is given to the attention: do not multiply or divide
# Divided by the root of the new width.
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
    q = torch.cat([hidden, torch.ones_like(hidden[..., :1])], dim=-1)
    k = torch.cat([B, b2[:, None, :]], dim=1)[:, :, :T].transpose(1, 2)
    return q / math.sqrt(d + 1), k.expand(batch, H, T, d + 1)
