# expect: reject
# hint: each of the H heads keeps a row of T weights per token: H·T, not d·T
def training_bytes(N: int, B: int, T: int, V: int, D: int, L: int, H: int) -> tuple[int, int]:
    d = D // H
    return 16 * N, 4 * B * T * (L * (16 * D + d * T) + 2 * D + V)
