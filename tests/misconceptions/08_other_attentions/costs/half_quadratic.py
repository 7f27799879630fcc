# expect: reject
# hint: the quadratic part is still there: the product with B gives T × T scores, and T × T weights multiply the values
# keeps: vanilla_flops
# Forgets that weights still multiply values.
def vanilla_flops(T: int, D: int) -> int:
    """Floating point operations of causal multi-head attention over one sequence of T tokens, width D."""
    projections, scores, values = 4 * 2 * T * D * D, 2 * T * T * D, 2 * T * T * D
    return projections + scores + values


def synthesizer_flops(T: int, D: int) -> int:
    """The same for synthesizer attention with a block of T places."""
    projections, scores, values = 3 * 2 * T * D * D, 2 * T * T * D, 0  # A, V and the output; no keys
    return projections + scores + values
