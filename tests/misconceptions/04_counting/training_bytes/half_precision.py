# expect: reject
# hint: numbers are float32 here, 4 bytes each
def training_bytes(N: int, B: int, T: int, V: int, D: int, L: int, H: int) -> tuple[int, int]:
    """State and activations in bytes."""
    return 16 * N, 2 * B * T * (L * (16 * D + H * T) + 2 * D + V)
