# expect: reject
# hint: every head has its own table: multiply by the heads
def bias_count(T: int, heads: int, layers: int, causal: bool = False, clip: int | None = None) -> int:
    """How many relative biases a model learns.

    Args:
        T: longest text. heads: per layer. layers: how many.
        causal: whether a query sees itself and the past alone.
        clip: offsets beyond it share one number per direction; None means no clipping.
    """
    farthest = T - 1 if clip is None else min(clip, T - 1)
    per_head = farthest + 1 if causal else 2 * farthest + 1
    return per_head * layers
