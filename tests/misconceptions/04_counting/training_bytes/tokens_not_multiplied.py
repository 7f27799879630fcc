# expect: reject
# hint: the numbers are kept for each of the B·T tokens
def training_bytes(N, B, T, V, D, L, H):
    return 16 * N, 4 * B * (L * (16 * D + H * T) + 2 * D + V)
