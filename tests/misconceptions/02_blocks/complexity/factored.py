# expect: accept
def encoder_self_flops(M, k):
    return 4 * M * k * (2 * k + M)


def cross_flops(M, N, k):
    return 4 * k * (k * (M + N) + M * N)


def decoder_self_flops(N, k):
    return cross_flops(N, N, k)
