# expect: reject
# hint: what the mask hides is computed all the same: count all T² scores
def vanilla_flops(T: int, D: int) -> int:
    return 8 * T * D**2 + 2 * T * (T + 1) * D


def synthesizer_flops(T: int, D: int) -> int:
    return 6 * T * D**2 + 2 * T * (T + 1) * D
