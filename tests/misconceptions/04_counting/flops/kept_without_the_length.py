# expect: reject
# hint: The same arguments give the same result
# keeps: step_seconds
_f = {}
def flops_per_token(N, L, D, T):
    return _f.setdefault((N, L, D), 6 * N + 12 * L * D * T)
def step_seconds(block_seconds, product_rate, B, T, V, D, L):
    return block_seconds * (L + V / (12 * D + 2 * T))
