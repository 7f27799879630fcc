# expect: accept
def field_size(layers, heads, length):
    return int(np.minimum((heads + 1) ** layers, length)) if (heads + 1) ** layers < 2**60 else length
def head_shifts(layers, heads):
    return tuple(tuple(2 ** (layer * heads + j) for j in range(heads)) for layer in range(layers))
