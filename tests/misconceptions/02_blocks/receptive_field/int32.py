# expect: reject
# hint: 64-bit whole numbers overflow for many layers: use Python's own
# keeps: head_shifts
def field_size(layers, heads, length):
    return min(int(np.int64(heads + 1) ** layers), length)
def head_shifts(layers, heads):
    return [[j * (heads + 1) ** layer for j in range(1, heads + 1)] for layer in range(layers)]
