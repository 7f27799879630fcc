# expect: reject
# hint: both stay finite, and right, where one weight is nearly 1
# keeps: score_variances
def score_variances(q: Tensor, k: Tensor, heads: int) -> tuple[float, float]:
    """Variance of each head's q·k over all rows and heads: (unscaled, divided by the right root)."""
    d = q.shape[1] // heads
    products = (q.unflatten(1, (heads, d)) * k.unflatten(1, (heads, d))).sum(-1)  # (n, D) -> (n, H)
    return products.var().item(), (products / math.sqrt(d)).var().item()


def saturation(scores: Tensor) -> tuple[Tensor, Tensor]:
    """Entropy in nats and Frobenius norm of the Jacobian of softmax(scores)."""
    a = scores.softmax(-1)
    entropy = -(a * scores.log_softmax(-1)).sum(-1)
    square = a.pow(2).sum(-1)
    return entropy, (square - 2 * a.pow(3).sum(-1) + square**2).sqrt()
