# expect: reject
# hint: N is the number of weights in products already: add nothing to it
# keeps: step_seconds
def flops_per_token(N, L, D, T):
    return 6 * (N + T * D) + 12 * L * D * T


def step_seconds(block_seconds, product_rate, B, T, V, D, L):
    return block_seconds * (L + V * D / (12 * D * D + 2 * D * T))
