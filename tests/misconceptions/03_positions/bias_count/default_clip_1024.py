# expect: reject
# hint: without a clip nothing is clipped: None is the default, not a number, however long the text is
def bias_count(T, heads, layers, causal=False, clip=1024):
    f = T - 1 if clip is None else min(clip, T - 1)
    return (f + 1 if causal else 2 * f + 1) * heads * layers
