# expect: accept
def training_bytes(N, B, T, V, D, L, H):
    per_token = 0
    for _ in range(L):
        per_token += 16 * D + H * T + 2 * 2
    return float(16 * N), float(np.float64(4 * B * T) * (per_token + 2 * D + 2 + V))
