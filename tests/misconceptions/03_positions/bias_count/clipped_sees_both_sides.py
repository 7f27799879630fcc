# expect: reject
# hint: causal and clipped: one number for each offset 0 … k
def bias_count(T: int, heads: int, layers: int, causal: bool = False, clip: int | None = None) -> int:
    if clip is not None:
        return heads * layers * (2 * min(clip, T - 1) + 1)
    return heads * layers * (T if causal else 2 * T - 1)
