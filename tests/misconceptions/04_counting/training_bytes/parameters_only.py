# expect: reject
# hint: the state is more than the parameters: gradients and two moments stay in memory too
def training_bytes(N: int, B: int, T: int, V: int, D: int, L: int, H: int) -> tuple[int, int]:
    """State and activations in bytes."""
    return 4 * N, 4 * B * T * (L * (16 * D + H * T) + 2 * D + V)
