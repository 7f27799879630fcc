# expect: accept
def count_gpt(V, D, L, H, T, variant="vanilla", m=0):
    d = D / H
    attention = {"synthesizer": 3 * (D * D + D) + H * (d * T + T), "synthesizer_shared": 3 * (D * D + D) + (d + 1) * (T - 1),
                 "relative": 4 * (D * D + D) + H * T}.get(variant, 4 * (D * D + D))
    total = 2 * V * D + 2 * D + L * (attention + 8 * D * D + 9 * D)
    total += 0 if variant in ("rope", "relative") else T * D
    return int(total + (m * D if variant == "perceiver" else 0))
