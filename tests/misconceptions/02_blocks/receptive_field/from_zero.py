# expect: reject
# hint: a head that looks back 0 positions adds nothing: distances begin at 1·(h+1)^ℓ
# keeps: field_size
def field_size(layers, heads, length):
    return min((heads + 1) ** layers, length)
def head_shifts(layers, heads):
    return [[j * (heads + 1) ** layer for j in range(heads)] for layer in range(layers)]
