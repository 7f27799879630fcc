# expect: accept
def bias_count(T, heads, layers, causal=False, clip=None):
    offsets = range(0 if causal else 1 - T, T)
    if clip is not None:
        offsets = [max(-clip, min(clip, o)) for o in offsets]
    return len(set(offsets)) * heads * layers
