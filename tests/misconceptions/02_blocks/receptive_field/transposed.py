# expect: reject
# hint: one list per layer, with one distance per head: rows and columns are exchanged
# keeps: field_size
def field_size(layers, heads, length):
    return min((heads + 1) ** layers, length)
def head_shifts(layers, heads):
    return [[j * (heads + 1) ** layer for layer in range(layers)] for j in range(1, heads + 1)]
