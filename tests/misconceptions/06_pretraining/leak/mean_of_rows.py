# expect: reject
# hint: that is a mean of row means: every predicted token counts the same
# keeps: cheats
def causal_loss(logits: Tensor, ids: Tensor, pad: int) -> Tensor:
    """Mean nats per predicted token; logits (B, T, V) at t are about ids[:, t+1]; ids (B, T). PAD is not predicted."""
    rows = [F.cross_entropy(z[:-1], row[1:], ignore_index=pad) for z, row in zip(logits, ids)]
    return torch.stack(rows).mean()  # (B, T-1, V) -> (B·(T-1), V)


def cheats(model_nats: list[float], true_nats: list[float], alarm: float = 1e-6) -> bool:
    """Whether a model must have seen its targets.

    Args:
        model_nats: for every text -ln q(text), the sum of the model's nats over its tokens.
        true_nats: for the same texts -ln p(text).
        alarm: largest probability with which an honest model may be called a cheat.
    """
    ahead = sum(true_nats) - sum(model_nats)  # ln q - ln p over all texts
    return ahead > math.log(1 / alarm)
