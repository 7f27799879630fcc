# expect: reject
# hint: the feed-forward network is 4D wide inside, before the GELU and after it
def training_bytes(N: int, B: int, T: int, V: int, D: int, L: int, H: int) -> tuple[int, int]:
    """State and activations in bytes."""
    return 16 * N, 4 * B * T * (L * (12 * D + H * T) + 2 * D + V)
