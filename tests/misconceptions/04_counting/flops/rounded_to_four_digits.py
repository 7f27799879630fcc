# expect: reject
# hint: seconds are rounded to four digits, which makes short times 0 or much too long: leave out round
# keeps: flops_per_token
def flops_per_token(N, L, D, T):
    return 6 * N + 12 * L * D * T


def step_seconds(block_seconds, product_rate, B, T, V, D, L):
    return round(block_seconds * (L + V * D / (12 * D * D + 2 * D * T)), 4)
