# expect: reject
# hint: N is given: the state has 16 bytes for each of these parameters
def training_bytes(N: int, B: int, T: int, V: int, D: int, L: int, H: int) -> tuple[int, int]:
    N = 12 * L * D * D + 2 * V * D
    return 16 * N, 4 * B * T * (L * (16 * D + H * T) + 2 * D + V)
