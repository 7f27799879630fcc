# expect: reject
# hint: One text far ahead proves nothing: add up the differences of all texts before you compare with ln(1/alarm).
# keeps: causal_loss
def causal_loss(logits: Tensor, ids: Tensor, pad: int) -> Tensor:
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=pad)


def cheats(model_nats: list[float], true_nats: list[float], alarm: float = 1e-6) -> bool:
    return max(t - m for t, m in zip(true_nats, model_nats, strict=True)) > math.log(1 / alarm)
