# expect: reject
# hint: a causal mask can be clipped too: offsets 0 … k
def bias_count(T, heads, layers, causal=False, clip=None):
    if causal:
        return T * heads * layers
    far = T - 1 if clip is None else min(clip, T - 1)
    return (2 * far + 1) * heads * layers
