# expect: accept
def training_bytes(N, B, T, V, D, L, H):
    per_block = 0
    for kept in (D + 2, D, 3 * D, H * T, D, D + 2, D, 4 * D, 4 * D):
        per_block += kept
    after = D + 2 + D + 3 * V
    return sum(4 * N for _ in ("parameters", "gradients", "first", "second")), (per_block * L + after) * B * T * 4
