# expect: accept
def field_size(layers, heads, length):
    return min((heads + 1) ** layers, length)


def head_shifts(layers, heads):
    return [[1 << (l * heads + j) for j in range(heads)] for l in range(layers)]
