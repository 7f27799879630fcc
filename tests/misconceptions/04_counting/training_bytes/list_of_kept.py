# expect: accept
def training_bytes(N, B, T, V, D, L, H):
    tokens = B * T
    block = {"norm": D, "qkv in": D, "q": D, "k": D, "v": D, "out in": D, "norm 2": D, "in": D, "gelu": 4 * D, "down": 4 * D}
    weights = B * H * T * T
    kept = L * (tokens * sum(block.values()) + weights) + tokens * (D + D + V)
    return sum(4 * N for _ in ("parameters", "gradients", "mean", "square")), 4 * kept
