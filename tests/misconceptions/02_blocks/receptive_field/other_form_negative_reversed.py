# expect: accept
def field_size(layers, heads, length):
    size = 1
    for _ in range(layers):
        size = min(size * (heads + 1), length)
    return min(size, length)


def head_shifts(layers, heads):
    return [tuple(-j * (heads + 1) ** (layers - 1 - l) for j in range(heads, 0, -1)) for l in range(layers)]
