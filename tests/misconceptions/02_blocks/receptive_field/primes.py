# expect: reject
# hint: some sums of distances coincide: every choice (one head or none per layer) must lead to another position
# keeps: field_size
def field_size(layers, heads, length):
    return min((heads + 1) ** layers, length)
def head_shifts(layers, heads):
    return [[(heads * layer + j) ** 2 for j in range(1, heads + 1)] for layer in range(layers)]
