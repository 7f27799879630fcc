# expect: reject
# hint: the last layer that still adds something counts, too: multiply first, then cap by the length
# keeps: head_shifts
def field_size(layers, heads, length):
    size = 1
    for _ in range(layers):
        if size * (heads + 1) > length:
            return size
        size *= heads + 1
    return size
def head_shifts(layers, heads):
    return [[j * (heads + 1) ** layer for j in range(1, heads + 1)] for layer in range(layers)]
