# expect: reject
# hint: per token: do not multiply by the tokens
# keeps: step_seconds
def flops_per_token(N, L, D, T):
    return T * (6 * N + 12 * L * D * T)


def step_seconds(block_seconds, product_rate, B, T, V, D, L):
    return block_seconds * (L + V * D / (12 * D * D + 2 * D * T))
