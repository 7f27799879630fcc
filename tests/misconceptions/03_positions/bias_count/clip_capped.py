# expect: reject
# hint: a clip may be any number: only the farthest offset caps it
def bias_count(T, heads, layers, causal=False, clip=None):
    f = T - 1 if clip is None else min(T - 1, clip, 1000)
    return heads * layers * (f + 1 if causal else 2 * f + 1)
