# expect: reject
# hint: distances are whole numbers: a power of a float is a float
# keeps: field_size
def field_size(layers, heads, length):
    return min((heads + 1) ** layers, length)
def head_shifts(layers, heads):
    return [[j * (heads + 1.0) ** layer for j in range(1, heads + 1)] for layer in range(layers)]
