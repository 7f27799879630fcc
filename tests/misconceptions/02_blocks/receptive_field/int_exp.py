# expect: reject
# hint: exp and log round: 16 becomes 15; use powers of whole numbers
# keeps: head_shifts
def field_size(layers, heads, length):
    return min(int(math.exp(layers * math.log(heads + 1))), length)
def head_shifts(layers, heads):
    return [[j * (heads + 1) ** layer for j in range(1, heads + 1)] for layer in range(layers)]
