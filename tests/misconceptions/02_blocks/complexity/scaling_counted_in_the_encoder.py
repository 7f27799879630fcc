# expect: reject
# hint: scaling and softmax are no matrix products: the counter sees neither
# keeps: cross_flops decoder_self_flops
def encoder_self_flops(M: int, k: int) -> int:
    return 8 * M * k * k + 4 * M * M * k + M * M


def cross_flops(M: int, N: int, k: int) -> int:
    return 4 * (M + N) * k * k + 4 * M * N * k


def decoder_self_flops(N: int, k: int) -> int:
    return 8 * N * k * k + 4 * N * N * k
