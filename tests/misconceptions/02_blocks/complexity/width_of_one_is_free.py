# expect: reject
# hint: a width of 1 makes no projection free: each of the four costs 2 FLOPs per position
# keeps: encoder_self_flops cross_flops
def encoder_self_flops(M: int, k: int) -> int:
    return 8 * M * k**2 + 4 * M**2 * k


def cross_flops(M: int, N: int, k: int) -> int:
    return 4 * (M + N) * k**2 + 4 * M * N * k


def decoder_self_flops(N, k):
    return 8 * N * k**2 + 4 * N**2 * k if k > 1 else 4 * N**2
