# expect: reject
# hint: the head too is estimated at the block's rate, not the large product's
# keeps: flops_per_token
def flops_per_token(N: int, L: int, D: int, T: int) -> int:
    return 6 * N + 12 * L * D * T


def step_seconds(block_seconds: float, product_rate: float, B: int, T: int, V: int, D: int, L: int) -> float:
    return L * block_seconds + B * T * 6 * V * D / product_rate
