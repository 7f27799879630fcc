# expect: reject
# hint: each of the H heads has d columns: H·d = D of them meet T keys
# keeps: step_seconds
def flops_per_token(N, L, D, T):
    return 6 * N + 12 * L * T


def step_seconds(block_seconds, product_rate, B, T, V, D, L):
    return block_seconds * (L + V * D / (12 * D * D + 2 * D * T))
