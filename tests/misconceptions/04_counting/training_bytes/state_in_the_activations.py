# expect: reject
# hint: the activations are counted apart from the state
def training_bytes(N, B, T, V, D, L, H):
    return 16 * N, 16 * N + 4 * B * T * (L * (16 * D + H * T) + 2 * D + V)
