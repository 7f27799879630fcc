# expect: reject
# hint: one projection is saved: there are no keys to compute
# keeps: vanilla_flops
# Keys that are not there.
def vanilla_flops(T: int, D: int) -> int:
    """Floating point operations of causal multi-head attention over one sequence of T tokens, width D."""
    projections, scores, values = 4 * 2 * T * D * D, 2 * T * T * D, 2 * T * T * D
    return projections + scores + values


def synthesizer_flops(T: int, D: int) -> int:
    """The same for synthesizer attention with a block of T places."""
    projections, scores, values = 4 * 2 * T * D * D, 2 * T * T * D, 2 * T * T * D  # A, V and the output; no keys
    return projections + scores + values
