# expect: reject
# hint: a position keeps itself and adds one per head in every layer: the numbers multiply
# keeps: head_shifts
def field_size(layers, heads, length):
    return min(sum(heads ** n for n in range(layers + 1)), length)
def head_shifts(layers, heads):
    return [[j * (heads + 1) ** layer for j in range(1, heads + 1)] for layer in range(layers)]
