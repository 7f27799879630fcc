# expect: reject
# hint: a model that is behind the truth is honest, however far: the sign of the difference is turned around
# keeps: causal_loss
def causal_loss(logits: Tensor, ids: Tensor, pad: int) -> Tensor:
    """Mean nats per predicted token; logits (B, T, V) at t are about ids[:, t+1]; ids (B, T). PAD is not predicted."""
    targets = ids[:, 1:].reshape(-1)  # (B, T-1) -> (B·(T-1),)
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets, ignore_index=pad)  # (B, T-1, V) -> (B·(T-1), V)


def cheats(model_nats: list[float], true_nats: list[float], alarm: float = 1e-6) -> bool:
    """Whether a model must have seen its targets.

    Args:
        model_nats: for every text -ln q(text), the sum of the model's nats over its tokens.
        true_nats: for the same texts -ln p(text).
        alarm: largest probability with which an honest model may be called a cheat.
    """
    ahead = sum(model_nats) - sum(true_nats)  # ln q - ln p over all texts
    return ahead > math.log(1 / alarm)
