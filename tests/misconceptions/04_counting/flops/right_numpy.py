# expect: accept
def flops_per_token(N, L, D, T):
    return int(np.dot([6, 12], [N, L * D * T]))


def step_seconds(block_seconds, product_rate, B, T, V, D, L):
    return np.float64(block_seconds) * (L + V / (12 * D + 2 * T))
