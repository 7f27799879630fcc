# expect: reject
# hint: All heads together have k columns: count with k itself, not with 8 · (k // 8), which rounds down.
def encoder_self_flops(M: int, k: int) -> int:
    return 8 * M * k * k + 4 * M * M * 8 * (k // 8)


def cross_flops(M: int, N: int, k: int) -> int:
    return 4 * (M + N) * k * k + 4 * M * N * 8 * (k // 8)


def decoder_self_flops(N: int, k: int) -> int:
    return 8 * N * k * k + 4 * N * N * 8 * (k // 8)
