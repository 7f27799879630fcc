# expect: reject
# hint: that is T times heads: without a mask, offsets have two directions
def bias_count(T: int, heads: int, layers: int, causal: bool = False, clip: int | None = None) -> int:
    return T * heads * layers
