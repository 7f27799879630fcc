# expect: reject
# hint: that is one number per pair (i, j): one per offset is enough
def bias_count(T: int, heads: int, layers: int, causal: bool = False, clip: int | None = None) -> int:
    return T * T * heads * layers
