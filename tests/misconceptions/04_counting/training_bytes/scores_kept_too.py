# expect: reject
# hint: scores are not kept, only the weights that the softmax makes of them
def training_bytes(N: int, B: int, T: int, V: int, D: int, L: int, H: int) -> tuple[int, int]:
    """State and activations in bytes."""
    return 16 * N, 4 * B * T * (L * (16 * D + 2 * H * T) + 2 * D + V)
