# expect: reject
# hint: is counted to the last digit
# keeps: head_shifts
def field_size(layers, heads, length):
    return min((heads + 1) ** min(layers, 12), length)


def head_shifts(layers, heads):
    return [[j * (heads + 1) ** l for j in range(1, heads + 1)] for l in range(layers)]
