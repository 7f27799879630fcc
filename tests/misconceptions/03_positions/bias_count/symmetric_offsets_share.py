# expect: reject
# hint: −o and +o have a number each: the table has an entry for every sign
def bias_count(T, heads, layers, causal=False, clip=None):
    far = T - 1 if clip is None else min(clip, T - 1)
    return (far + 1) * heads * layers
