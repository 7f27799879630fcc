# expect: reject
# hint: a block's operations are those of its weights and of its attention: 12D² + 2DT
# keeps: flops_per_token
def flops_per_token(N, L, D, T):
    return 6 * N + 12 * L * D * T


def step_seconds(block_seconds, product_rate, B, T, V, D, L):
    return block_seconds * (L + V / (12 * D))
