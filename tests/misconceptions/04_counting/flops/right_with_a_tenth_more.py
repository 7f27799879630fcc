# expect: accept
def flops_per_token(N, L, D, T):
    return sum(6 for _ in range(1)) * N + 12 * L * D * T


def step_seconds(block_seconds, product_rate, B, T, V, D, L):
    blocks = L + flops_per_token(V * D, 0, D, T) / flops_per_token(12 * D * D, 1, D, T)
    return torch.tensor(1.1 * blocks * block_seconds, dtype=torch.float64)
