# expect: reject
# hint: there are as many distances as tokens in a text, however many that are
def count_gpt(V, D, L, H, T, variant="vanilla", m=0):
    d = D // H
    attention, positions = 4 * (D * D + D), T * D
    if variant in ("rope", "relative"):
        positions = 0
    if variant == "relative":
        attention += H * min(T, 512)
    if variant == "synthesizer":
        attention = 2 * (D * D + D) + D * D + D + D * T + H * T
    if variant == "synthesizer_shared":
        attention = 2 * (D * D + D) + D * D + D + d * (T - 1) + T - 1
    if variant == "perceiver":
        positions += m * D
    return V * D + positions + L * (attention + 8 * D * D + 5 * D + 4 * D) + 2 * D + D * V
