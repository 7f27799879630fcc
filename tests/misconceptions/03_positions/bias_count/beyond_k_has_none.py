# expect: reject
# hint: offsets beyond k share the number of k, and if no offset reaches k nothing is clipped
def bias_count(T, heads, layers, causal=False, clip=None):
    if clip is not None and clip >= T:
        return 0
    far = T - 1 if clip is None else clip
    return (far + 1 if causal else 2 * far + 1) * heads * layers
