# expect: reject
# hint: the time is cut to whole milliseconds: a short one becomes 0
# keeps: flops_per_token
def flops_per_token(N, L, D, T):
    return 6 * N + 12 * L * D * T


def step_seconds(block_seconds, product_rate, B, T, V, D, L):
    return int(1000 * block_seconds * (L + V * D / (12 * D * D + 2 * D * T))) / 1000
