# expect: reject
# hint: whatever the batch
def training_bytes(N, B, T, V, D, L, H):
    return (16 if B <= 1024 else 12) * N, 4 * B * T * (L * (16 * D + H * T) + 2 * D + V)
