# expect: accept
def training_bytes(N, B, T, V, D, L, H):
    block = 16 * D + H * T
    return N * 16, (block * L + V + D) * B * T * 4
