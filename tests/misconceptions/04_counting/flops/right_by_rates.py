# expect: accept
def flops_per_token(N, L, D, T):
    products = 2 * N + L * 2 * (2 * T * D)
    return products + 2 * products


def step_seconds(block_seconds, product_rate, B, T, V, D, L):
    tokens = B * T
    block_flops = tokens * (72 * D**2 + 12 * D * T)
    rate = block_flops / block_seconds
    return L * block_seconds + tokens * 6 * V * D / rate
