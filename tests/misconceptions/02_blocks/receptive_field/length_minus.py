# expect: reject
# hint: the whole sequence may be seen: cap by the length itself
# keeps: head_shifts
def field_size(layers, heads, length):
    return min((heads + 1) ** layers, length - 1)
def head_shifts(layers, heads):
    return [[j * (heads + 1) ** layer for j in range(1, heads + 1)] for layer in range(layers)]
