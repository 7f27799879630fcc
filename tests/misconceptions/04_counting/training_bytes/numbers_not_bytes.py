# expect: reject
# hint: a float32 number takes 4 bytes
def training_bytes(N: int, B: int, T: int, V: int, D: int, L: int, H: int) -> tuple[int, int]:
    """State and activations in bytes."""
    return 16 * N, B * T * (L * (16 * D + H * T) + 2 * D + V)
