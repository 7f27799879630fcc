# expect: reject
# hint: a block's attention costs 2DT in these units, in the block that was timed as well as in the others
# keeps: flops_per_token
def flops_per_token(N, L, D, T):
    return 6 * N + 12 * L * D * T


def step_seconds(block_seconds, product_rate, B, T, V, D, L):
    return block_seconds * (12 * L * D * D + V * D + 2 * L * D * T) / (12 * D * D)
