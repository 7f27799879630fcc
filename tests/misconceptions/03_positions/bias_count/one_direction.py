# expect: reject
# hint: two directions
def bias_count(T: int, heads: int, layers: int, causal: bool = False, clip: int | None = None) -> int:
    return T * heads * layers
