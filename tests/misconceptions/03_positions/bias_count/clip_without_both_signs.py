# expect: reject
# hint: clipping works in both directions, −k … k
def bias_count(T, heads, layers, causal=False, clip=None):
    offsets = set(range(0 if causal else 1 - T, T))
    if clip is not None:
        offsets = {min(o, clip) for o in offsets}
    return len(offsets) * heads * layers
