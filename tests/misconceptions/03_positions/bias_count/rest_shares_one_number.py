# expect: reject
# hint: offsets beyond k share the number of k: there is no further one for 'all others'
def bias_count(T, heads, layers, causal=False, clip=None):
    far = T - 1 if clip is None else min(clip, T - 1)
    extra = int(clip is not None and clip < T - 1)
    return ((far + 1 if causal else 2 * far + 1) + extra) * heads * layers
