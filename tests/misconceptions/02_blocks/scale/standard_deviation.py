# expect: reject
# hint: that is the standard deviation; the variance is its square
# keeps: saturation
def score_variances(q: Tensor, k: Tensor, heads: int) -> tuple[float, float]:
    """q, k: (n, D). Variance of each head's q·k over all rows and heads: (unscaled, divided by the right root)."""
    n, D = q.shape
    products = (q * k).view(n, heads, D // heads).sum(-1)  # (n, D) -> (n, H, d) -> (n, H)
    return products.std().item(), (products / math.sqrt(D // heads)).var().item()


def saturation(scores: Tensor) -> tuple[Tensor, Tensor]:
    """scores: (..., n). Entropy in nats and Frobenius norm of the Jacobian of softmax(scores), each of shape (...)."""
    alpha = scores.softmax(-1)
    square, cube = (alpha**2).sum(-1), (alpha**3).sum(-1)
    return torch.special.entr(alpha).sum(-1), (square - 2 * cube + square**2).clamp(min=0).sqrt()
