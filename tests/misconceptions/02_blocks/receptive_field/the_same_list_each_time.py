# expect: reject
# hint: what was returned stays as it is
# keeps: field_size
def field_size(layers: int, heads: int, length: int) -> int:
    return min((heads + 1) ** layers, length)

import functools

@functools.cache
def head_shifts(layers: int, heads: int) -> list[list[int]]:
    return [[j * (heads + 1) ** layer for j in range(1, heads + 1)] for layer in range(layers)]
