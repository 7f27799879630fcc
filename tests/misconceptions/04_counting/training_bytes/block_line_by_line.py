# expect: accept
def training_bytes(N, B, T, V, D, L, H):
    kept = [(D,), (D,), (3, D), (H, T), (D,), (D,), (D,), (4, D), (4, D)]  # norm, q k v in, factors, weights, out, norm, up, GELU, down
    block = sum(int(np.prod(shape)) for shape in kept)
    ends = 2 * D + V
    return N * 4 + N * 4 + 2 * N * 4, (L * block + ends) * B * T * 4
