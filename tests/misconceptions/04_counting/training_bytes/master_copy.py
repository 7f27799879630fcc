# expect: reject
# hint: there is no second copy of the parameters here: parameters, gradients and two moments
def training_bytes(N, B, T, V, D, L, H):
    return 20 * N, 4 * B * T * (L * (16 * D + H * T) + 2 * D + V)
