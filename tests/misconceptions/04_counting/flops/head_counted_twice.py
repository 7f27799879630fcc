# expect: reject
# hint: the estimate is too long: L blocks, and the head in proportion to its operations
# keeps: flops_per_token
def flops_per_token(N: int, L: int, D: int, T: int) -> int:
    return 6 * N + 12 * L * D * T


def step_seconds(block_seconds: float, product_rate: float, B: int, T: int, V: int, D: int, L: int) -> float:
    return block_seconds * (L + 2 * V * D / (12 * D**2 + 2 * D * T))
