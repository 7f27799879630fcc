# expect: accept
def flops_per_token(N, L, D, T):
    forward = 2 * N
    for _ in range(L):
        forward += 2 * T * D + 2 * T * D
    return 3.0 * forward


def step_seconds(block_seconds, product_rate, B, T, V, D, L):
    units = [12 * D * D + 2 * D * T] * L + [V * D]
    return sum(units) / units[0] * block_seconds
