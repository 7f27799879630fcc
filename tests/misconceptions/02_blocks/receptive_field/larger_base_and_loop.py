# expect: accept
def field_size(layers, heads, length):
    size = 1
    for _ in range(layers):
        size = size + heads * size
    return size if size < length else length


def head_shifts(layers, heads):
    shifts, base = [], 1
    for _ in range(layers):
        shifts.append([base * (j + 1) for j in range(heads)])
        base *= heads + 3
    return shifts
