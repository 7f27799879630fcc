# expect: reject
# hint: bytes are asked for, not megabytes
def training_bytes(N, B, T, V, D, L, H):
    return 16 * N / 1e6, 4 * B * T * (L * (16 * D + H * T) + 2 * D + V) / 1e6
