# expect: reject
# hint: block_seconds is for the whole batch already
# keeps: flops_per_token
def flops_per_token(N: int, L: int, D: int, T: int) -> int:
    """FLOPs per token of forward and backward pass."""
    return 6 * N + 12 * L * D * T


def step_seconds(block_seconds: float, product_rate: float, B: int, T: int, V: int, D: int, L: int) -> float:
    """Estimated seconds of one training step."""
    return B * L * block_seconds
