# expect: reject
# hint: the state comes first, then the activations
def training_bytes(N, B, T, V, D, L, H):
    return 4 * B * T * (L * (16 * D + H * T) + 2 * D + V), 16 * N
