# expect: accept
def flops_per_token(N, L, D, T):
    forward = 2 * N + L * (2 * T * D + 2 * T * D)
    return forward + 2 * forward


def step_seconds(block_seconds, product_rate, B, T, V, D, L):
    tokens = B * T
    block = tokens * flops_per_token(12 * D**2, 1, D, T)
    head = tokens * flops_per_token(V * D, 0, D, T)
    own_rate = block / block_seconds
    return (L * block + head) / own_rate
