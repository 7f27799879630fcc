# expect: accept
def field_size(layers, heads, length):
    return length if layers * math.log(heads + 1) > math.log(length) + 1 else min(pow(heads + 1, layers), length)
def head_shifts(layers, heads):
    return (np.outer((heads + 1) ** np.arange(layers), np.arange(1, heads + 1))).tolist()
