# expect: reject
# hint: per token, not per sequence: every token meets T keys once
# keeps: step_seconds
def flops_per_token(N: int, L: int, D: int, T: int) -> int:
    """FLOPs per token of forward and backward pass."""
    return 6 * N + 12 * L * D * T**2


def step_seconds(block_seconds: float, product_rate: float, B: int, T: int, V: int, D: int, L: int) -> float:
    """Estimated seconds of one training step."""
    return block_seconds * (L + V * D / (12 * D**2 + 2 * D * T))
