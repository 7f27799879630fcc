# expect: reject
# hint: one number per offset, not per pair of places
def bias_count(T, heads, layers, causal=False, clip=None):
    far = T - 1 if clip is None else min(clip, T - 1)
    pairs = far * (far + 1) + 1
    return (far + 1 if causal else pairs) * heads * layers
