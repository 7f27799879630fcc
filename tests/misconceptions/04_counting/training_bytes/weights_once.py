# expect: reject
# hint: each of the L layers keeps the weights of its heads
def training_bytes(N, B, T, V, D, L, H):
    return 16 * N, 4 * B * T * (L * 16 * D + H * T + 2 * D + V)
