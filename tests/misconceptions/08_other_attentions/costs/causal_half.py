# expect: reject
# hint: in vanilla_flops one of two products over pairs is missing (scores, and weights times values), or what is hidden by the mask was left out
# keeps: synthesizer_flops
# Leaves out what the mask hides, against the text.
def vanilla_flops(T: int, D: int) -> int:
    """Floating point operations of causal multi-head attention over one sequence of T tokens, width D."""
    projections, scores, values = 4 * 2 * T * D * D, T * T * D, T * T * D
    return projections + scores + values


def synthesizer_flops(T: int, D: int) -> int:
    """The same for synthesizer attention with a block of T places."""
    projections, scores, values = 3 * 2 * T * D * D, 2 * T * T * D, 2 * T * T * D  # A, V and the output; no keys
    return projections + scores + values
