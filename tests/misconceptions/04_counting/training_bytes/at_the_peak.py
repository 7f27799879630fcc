# expect: accept
def training_bytes(N, B, T, V, D, L, H):
    per_token = L * (16 * D + H * T) + 2 * D + 3 * V  # with the gradients of logits and log-probabilities
    return 4 * 4 * N, B * T * 4 * per_token
