# expect: reject
# hint: whatever the batch
def training_bytes(N, B, T, V, D, L, H):
    return (12 + 4 * max(1, B // 64)) * N, 4 * B * T * (L * (16 * D + H * T) + 2 * D + V)
