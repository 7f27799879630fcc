# expect: accept
def field_size(layers, heads, length):
    reach = {0}
    for row in head_shifts(layers, heads):
        reach = {r + s for r in reach for s in [0, *row]}
        if len(reach) >= length: return length
    return len(reach)
def head_shifts(layers, heads):
    base = heads + 1
    return [list(range(base**l, base**(l+1), base**l)) for l in range(layers)]
