# expect: reject
# hint: attention has a backward pass too, which costs twice as much again
# keeps: step_seconds
def flops_per_token(N: int, L: int, D: int, T: int) -> int:
    return 6 * N + 4 * L * D * T


def step_seconds(block_seconds: float, product_rate: float, B: int, T: int, V: int, D: int, L: int) -> float:
    return block_seconds * (L + V * D / (12 * D**2 + 2 * D * T))
