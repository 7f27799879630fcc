# expect: reject
# hint: synthesizer_flops leaves out what the mask hides, but those pairs are counted too
# keeps: vanilla_flops
# T(T+1)/2 pairs.
def vanilla_flops(T: int, D: int) -> int:
    """Floating point operations of causal multi-head attention over one sequence of T tokens, width D."""
    projections = 4 * (2 * T * D * D)
    return projections + 2 * (2 * T * T * D)


def synthesizer_flops(T: int, D: int) -> int:
    """The same for synthesizer attention with a block of T places."""
    return 6*T*D*D + 2*T*(T+1)*D
