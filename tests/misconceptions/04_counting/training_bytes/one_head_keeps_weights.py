# expect: reject
# hint: every head keeps weights of its own
def training_bytes(N: int, B: int, T: int, V: int, D: int, L: int, H: int) -> tuple[int, int]:
    """State and activations in bytes."""
    return 16 * N, 4 * B * T * (L * (16 * D + T) + 2 * D + V)
