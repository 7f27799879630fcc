# expect: reject
# hint: every text of the batch keeps weights of its own
def training_bytes(N, B, T, V, D, L, H):
    return 16 * N, 4 * (B * T * (L * 16 * D + 2 * D + V) + L * H * T * T)
