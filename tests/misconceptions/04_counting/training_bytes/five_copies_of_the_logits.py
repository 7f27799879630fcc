# expect: reject
# hint: the log-probabilities are kept once, with two more copies at the peak: five times V numbers are too many
def training_bytes(N, B, T, V, D, L, H):
    state = N * 4 * (1 + 1 + 2)
    norm_in, qkv_in, q, k, v, out_in = [D] * 6
    ff = D + D + 4 * D + 4 * D
    per_token = L * (norm_in + qkv_in + q + k + v + H * T + out_in + ff) + 2 * D + 5 * V
    return state, 4 * B * T * per_token
