# expect: reject
# hint: short texts keep a row of T weights for each head and token, too
def training_bytes(N, B, T, V, D, L, H):
    per_token = L * (16 * D + H * T * (T > 8)) + 2 * D + V
    return 16 * N, 4 * B * T * per_token
