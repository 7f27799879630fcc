# expect: reject
# hint: without the argument, m is 0
def count_gpt(V, D, L, H, T, variant="vanilla", m=32):
    d = D // H
    attention = 4 * (D * D + D)
    extra, positions = 0, T * D
    if variant in ("rope", "relative"):
        positions = 0
    if variant == "relative":
        attention += H * T
    elif variant == "synthesizer":
        attention = 3 * (D * D + D) + D * T + H * T
    elif variant == "synthesizer_shared":
        attention = 3 * (D * D + D) + d * (T - 1) + T - 1
    elif variant == "perceiver":
        extra = m * D
    return V * D + positions + L * (attention + 8 * D * D + 5 * D + 4 * D) + 2 * D + D * V + extra
