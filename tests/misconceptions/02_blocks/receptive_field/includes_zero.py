# expect: reject
# hint: one distance per head: staying in place is the residual's work, not a head's
# keeps: field_size
def field_size(layers, heads, length):
    return min((heads + 1) ** layers, length)
def head_shifts(layers, heads):
    return [[j * (heads + 1) ** layer for j in range(heads + 1)] for layer in range(layers)]
