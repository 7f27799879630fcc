# expect: reject
# hint: the head counts for any number of symbols, in proportion to its operations
# keeps: flops_per_token
def flops_per_token(N, L, D, T):
    return 6 * N + 12 * L * D * T


def step_seconds(block_seconds, product_rate, B, T, V, D, L):
    head = V * D / (12 * D * D + 2 * D * T)
    return block_seconds * (L + head * (V > 4000))
