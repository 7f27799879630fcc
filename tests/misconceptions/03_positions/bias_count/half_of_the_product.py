# expect: reject
# hint: causal: the offsets 0 … T − 1 (or k) in each head, not half of the whole product
def bias_count(T: int, heads: int, layers: int, causal: bool = False, clip: int | None = None) -> int:
    far = T - 1 if clip is None else min(clip, T - 1)
    n = heads * layers * (2 * far + 1)
    return (n + 1) // 2 if causal else n
