# expect: reject
# hint: of parameters, gradients and two moments one is missing in the state
def training_bytes(N: int, B: int, T: int, V: int, D: int, L: int, H: int) -> tuple[int, int]:
    """State and activations in bytes."""
    return 12 * N, 4 * B * T * (L * (16 * D + H * T) + 2 * D + V)
