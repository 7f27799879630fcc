# expect: reject
# hint: some sums of distances coincide: every choice (one head or none per layer) must lead to another position
# keeps: field_size
def field_size(layers: int, heads: int, length: int) -> int:
    """Largest number of input positions that one output can depend on, with argmax attention and residual connections."""
    return min((heads + 1) ** layers, length)


def head_shifts(layers: int, heads: int) -> list[list[int]]:
    """shifts[l][j]: how many positions head j of layer l looks back, so that the field has (heads + 1)**layers positions."""
    return [[j * 2**layer for j in range(1, heads + 1)] for layer in range(layers)]
