# expect: reject
# hint: clip 0 leaves offset 0 alone: one number per head and layer, causal or not
def bias_count(T, heads, layers, causal=False, clip=None):
    far = T - 1 if clip is None or (causal and not clip) else min(clip, T - 1)
    return (far + 1 if causal else 2 * far + 1) * heads * layers
