# expect: accept
def bias_count(T, heads, layers, causal=False, clip=None):
    seen = set()
    for o in range(0 if causal else 1 - T, T):
        seen.add(o if clip is None else max(-clip, min(clip, o)))
    return len(seen) * heads * layers
