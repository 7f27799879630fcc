# expect: reject
# hint: the loss stands once at the end, it keeps V numbers per token once
def training_bytes(N, B, T, V, D, L, H):
    return 16 * N, 4 * B * T * L * (16 * D + H * T + V)
