# expect: accept
def bias_count(T, heads, layers, causal=False, clip=None):
    import numpy as np

    offsets = np.arange(0 if causal else 1 - T, T)
    if clip is not None:
        offsets = np.clip(offsets, -clip, clip)
    return np.unique(offsets).size * heads * layers
