# expect: reject
# hint: a causal mask saves nothing here: hidden scores are computed all the same
# keeps: step_seconds
def flops_per_token(N: int, L: int, D: int, T: int) -> int:
    return 6 * N + 6 * L * D * (T + 1)


def step_seconds(block_seconds: float, product_rate: float, B: int, T: int, V: int, D: int, L: int) -> float:
    return block_seconds * (L + V * D / (12 * D**2 + 2 * D * T))
