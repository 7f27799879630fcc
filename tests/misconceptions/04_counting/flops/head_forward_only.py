# expect: reject
# hint: the head has a backward pass too: its operations are 6VD per token
# keeps: flops_per_token
def flops_per_token(N, L, D, T):
    return 6 * N + 12 * L * D * T


def step_seconds(block_seconds, product_rate, B, T, V, D, L):
    return block_seconds * (L + V * D / (12 * D * D + 2 * D * T) / 3)
