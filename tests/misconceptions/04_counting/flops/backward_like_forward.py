# expect: reject
# hint: the backward pass costs two products for each one of the forward pass
# keeps: step_seconds
def flops_per_token(N: int, L: int, D: int, T: int) -> int:
    """FLOPs per token of forward and backward pass."""
    return 4 * N + 8 * L * D * T


def step_seconds(block_seconds: float, product_rate: float, B: int, T: int, V: int, D: int, L: int) -> float:
    """Estimated seconds of one training step."""
    return block_seconds * (L + V * D / (12 * D**2 + 2 * D * T))
