# expect: reject
# hint: the product is larger than 32 bits hold: keep to Python's whole numbers
def bias_count(T, heads, layers, causal=False, clip=None):
    f = T - 1 if clip is None else min(T - 1, clip)
    import numpy as np
    return int(np.int32(heads * layers % 2**31) * np.int32((f + 1 if causal else 2 * f + 1) % 2**31))
