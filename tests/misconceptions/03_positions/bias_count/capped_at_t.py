# expect: reject
# hint: the farthest offset that occurs is T − 1: cap the clip there, not at T
def bias_count(T, heads, layers, causal=False, clip=None):
    far = T - 1 if clip is None else min(clip, T)
    return (far + 1 if causal else 2 * far + 1) * heads * layers
