# expect: reject
# hint: self-attention over one position counts as much as the formula says: its score is computed, too
# keeps: cross_flops
def encoder_self_flops(M, k):
    if M == 1:  # nothing to compare
        return 8 * k**2
    return 8 * M * k**2 + 4 * M**2 * k


def cross_flops(M: int, N: int, k: int) -> int:
    return 4 * (M + N) * k**2 + 4 * M * N * k


def decoder_self_flops(N, k):
    return encoder_self_flops(N, k)
