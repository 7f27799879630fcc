# expect: reject
# hint: times of microseconds are estimated as well as long ones: nothing is rounded
# keeps: flops_per_token
def flops_per_token(N: int, L: int, D: int, T: int) -> int:
    return 6 * N + 12 * L * D * T


def step_seconds(block_seconds: float, product_rate: float, B: int, T: int, V: int, D: int, L: int) -> float:
    block = 6 * 12 * D * D + 12 * D * T
    return round(block_seconds * (L + 6 * V * D / block), 6)
