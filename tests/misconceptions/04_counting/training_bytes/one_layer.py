# expect: reject
# hint: each of the L layers keeps its activations
def training_bytes(N: int, B: int, T: int, V: int, D: int, L: int, H: int) -> tuple[int, int]:
    """State and activations in bytes."""
    return 16 * N, 4 * B * T * (16 * D + H * T + 2 * D + V)
