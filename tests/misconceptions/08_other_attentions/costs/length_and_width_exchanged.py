# expect: reject
# hint: T and D are exchanged: projections grow with D², scores with T²
def vanilla_flops(T: int, D: int) -> int:
    return 8 * D * T**2 + 4 * D**2 * T


def synthesizer_flops(T: int, D: int) -> int:
    return 6 * D * T**2 + 4 * D**2 * T
