# expect: reject
# hint: the weights that the causal mask hides are kept all the same, as zeros
def training_bytes(N, B, T, V, D, L, H):
    return 16 * N, 4 * B * T * (L * (16 * D + H * T // 2) + 2 * D + V)
