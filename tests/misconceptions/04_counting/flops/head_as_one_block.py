# expect: reject
# hint: the head is not a block: it takes V·D / (12D² + 2DT) blocks' time
# keeps: flops_per_token
def flops_per_token(N, L, D, T):
    return 6 * N + 12 * L * D * T


def step_seconds(block_seconds, product_rate, B, T, V, D, L):
    return block_seconds * (L + 1)
