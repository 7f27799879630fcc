# expect: reject
# hint: with T = 1 there is one offset, 0
def bias_count(T, heads, layers, causal=False, clip=None):
    if T == 1:
        return 0
    far = T - 1 if clip is None else min(clip, T - 1)
    return (far + 1 if causal else 2 * far + 1) * heads * layers
