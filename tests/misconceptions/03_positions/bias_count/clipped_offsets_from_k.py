# expect: reject
# hint: clipped to k, the farthest offset is k itself: 2k + 1 numbers, not 2k − 1
def bias_count(T, heads, layers, causal=False, clip=None):
    if clip is not None:
        T = min(T, clip)
    return (T if causal else 2 * T - 1) * heads * layers
