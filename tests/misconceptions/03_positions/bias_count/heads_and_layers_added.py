# expect: reject
# hint: every layer has heads of its own: multiply heads and layers
def bias_count(T, heads, layers, causal=False, clip=None):
    far = T - 1 if clip is None else min(clip, T - 1)
    return (far + 1 if causal else 2 * far + 1) * (heads + layers)
