# expect: reject
# hint: T may be any length: no text is too long to have an offset for each distance
def bias_count(T, heads, layers, causal=False, clip=None):
    f = min(T, 1024) - 1 if clip is None else min(clip, T - 1)
    return (f + 1 if causal else 2 * f + 1) * heads * layers
