# expect: accept
# As one formula.
def vanilla_flops(T, D):
    return 4 * T * D * (2 * D + T)


def synthesizer_flops(T, D):
    return 2 * T * D * (3 * D + 2 * T)
