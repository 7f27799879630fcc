# expect: reject
# hint: distances of many layers are larger than 32 bits hold: keep to Python's whole numbers
# keeps: field_size
def field_size(layers, heads, length):
    return min((heads + 1) ** layers, length)


def head_shifts(layers, heads):
    import numpy as np
    return [[int(x) for x in r] for r in np.outer([(heads + 1) ** l % 2**31 for l in range(layers)], range(1, heads + 1))]
    return [[j * (heads + 1) ** l for j in range(1, heads + 1)] for l in range(layers)]
