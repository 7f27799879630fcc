# expect: reject
# hint: a weight is one number per pair of tokens and head, not d of them
def training_bytes(N, B, T, V, D, L, H):
    return 16 * N, 4 * B * T * (L * (16 * D + D * T) + 2 * D + V)
