# expect: reject
# hint: the published 34 D + 5 H T bytes hold for 16-bit numbers with dropout; here numbers have 4 bytes and there is no dropout
def training_bytes(N, B, T, V, D, L, H):
    return 16 * N, B * T * (L * (34 * D + 5 * H * T) + 8 * D + 4 * V)
