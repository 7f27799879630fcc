# expect: accept
def bias_count(T, heads, layers, causal=False, clip=None):
    past = T if clip is None or clip >= T else clip + 1  # offsets 0, 1, ...
    future = 0 if causal else past - 1
    return heads * (past + future) * layers
