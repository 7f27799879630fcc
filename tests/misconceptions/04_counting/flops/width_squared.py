# expect: reject
# hint: attention's products cost T·d per head, not d·D: the length counts, not the width
# keeps: step_seconds
def flops_per_token(N, L, D, T):
    return 6 * N + 12 * L * D * D


def step_seconds(block_seconds, product_rate, B, T, V, D, L):
    return block_seconds * (L + V * D / (12 * D * D + 2 * D * T))
