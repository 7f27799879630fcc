# expect: reject
# hint: biases are added: they are no part of a matrix product
def vanilla_flops(T: int, D: int) -> int:
    return 8 * T * D**2 + 4 * T**2 * D + 4 * T * D


def synthesizer_flops(T: int, D: int) -> int:
    return 6 * T * D**2 + 4 * T**2 * D + 3 * T * D
