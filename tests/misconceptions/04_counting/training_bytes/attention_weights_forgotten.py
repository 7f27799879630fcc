# expect: reject
# hint: with sequences twice as long the activations more than double: every token keeps a row of T weights for each head
def training_bytes(N: int, B: int, T: int, V: int, D: int, L: int, H: int) -> tuple[int, int]:
    """State and activations in bytes."""
    return 16 * N, 4 * B * T * (L * 16 * D + 2 * D + V)
