# expect: reject
# hint: attention has two products, scores and weighted sum, and a causal mask saves neither
# keeps: step_seconds
def flops_per_token(N: int, L: int, D: int, T: int) -> int:
    """FLOPs per token of forward and backward pass."""
    return 6 * N + 6 * L * D * T


def step_seconds(block_seconds: float, product_rate: float, B: int, T: int, V: int, D: int, L: int) -> float:
    """Estimated seconds of one training step."""
    return block_seconds * (L + V * D / (12 * D**2 + 2 * D * T))
