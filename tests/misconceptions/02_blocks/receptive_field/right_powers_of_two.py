# expect: accept
def field_size(layers, heads, length):
    size = 1
    for _ in range(layers):
        if size >= length:
            break
        size = size * heads + size
    return size if size < length else length


def head_shifts(layers, heads):
    """Every head of every layer has a bit of its own: all sums differ."""
    return [[1 << (layer * heads + head) for head in range(heads)] for layer in range(layers)]
