# expect: reject
# hint: a hidden weight is kept too: each token keeps a whole row of T weights for each head
def training_bytes(N: int, B: int, T: int, V: int, D: int, L: int, H: int) -> tuple[int, int]:
    return 16 * N, 4 * B * T * (L * (16 * D + H * (T + 1) // 2) + 2 * D + V)
