# expect: reject
# hint: one number per pair
def bias_count(T: int, heads: int, layers: int, causal: bool = False, clip: int | None = None) -> int:
    return T * T * heads * layers
