# expect: reject
# hint: without a layer an output depends on one position
# keeps: head_shifts
def field_size(layers, heads, length):
    return min((heads + 1) ** max(layers, 1), length)
def head_shifts(layers, heads):
    return [[j * (heads + 1) ** layer for j in range(1, heads + 1)] for layer in range(layers)]
