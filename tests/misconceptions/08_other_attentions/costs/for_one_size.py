# expect: reject
# hint: vanilla_flops is not the sum of its six matrix products
# Numbers for the example alone.
def vanilla_flops(T: int, D: int) -> int:
    """Floating point operations of causal multi-head attention over one sequence of T tokens, width D."""
    projections, scores, values = 4 * 2 * T * D * D, 2 * T * T * D, 2 * T * T * D
    return 10_485_760 if projections > 6 * T * D * D else 8_388_608


def synthesizer_flops(T: int, D: int) -> int:
    """The same for synthesizer attention with a block of T places."""
    projections, scores, values = 3 * 2 * T * D * D, 2 * T * T * D, 2 * T * T * D  # A, V and the output; no keys
    return 10_485_760 if projections > 6 * T * D * D else 8_388_608
