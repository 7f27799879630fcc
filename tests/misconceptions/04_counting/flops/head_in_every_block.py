# expect: reject
# hint: the head stands once, after the L blocks
# keeps: flops_per_token
def flops_per_token(N, L, D, T):
    return 6 * N + 12 * L * D * T


def step_seconds(block_seconds, product_rate, B, T, V, D, L):
    return L * block_seconds * (1 + V * D / (12 * D * D + 2 * D * T))
