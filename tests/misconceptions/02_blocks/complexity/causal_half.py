# expect: reject
# hint: scores and weighted sum are two products, and a causal mask saves nothing
# keeps: encoder_self_flops cross_flops
def encoder_self_flops(M: int, k: int) -> int:
    """FLOPs of multi-head self-attention over M source positions of width k."""
    return 8 * M * k**2 + 4 * M**2 * k


def cross_flops(M: int, N: int, k: int) -> int:
    """FLOPs of multi-head cross-attention from N target positions (queries) to M source positions."""
    return 4 * N * k**2 + 4 * M * k**2 + 4 * M * N * k


def decoder_self_flops(N: int, k: int) -> int:
    """FLOPs of causal multi-head self-attention over N target positions of width k."""
    return 8 * N * k**2 + 2 * N**2 * k
