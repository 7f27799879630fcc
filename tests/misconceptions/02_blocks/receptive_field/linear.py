# expect: reject
# hint: h·n + 1 is what equal distances in all layers reach, not the largest possible
# keeps: head_shifts
def field_size(layers: int, heads: int, length: int) -> int:
    """Largest number of input positions that one output can depend on, with argmax attention and residual connections."""
    return min(heads * layers + 1, length)


def head_shifts(layers: int, heads: int) -> list[list[int]]:
    """shifts[l][j]: how many positions head j of layer l looks back, so that the field has (heads + 1)**layers positions."""
    return [[j * (heads + 1) ** layer for j in range(1, heads + 1)] for layer in range(layers)]
