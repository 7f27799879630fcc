# expect: reject
# hint: B_i has d rows, not D: it follows A_i, which leads to the width of a head
def count_gpt(V, D, L, H, T, variant="vanilla", m=0):
    total = 2 * V * D + T * D + L * (12 * D**2 + 13 * D) + 2 * D
    if variant in ("rope", "relative"):
        total -= T * D
    if variant == "relative":
        total += L * H * T
    if variant == "synthesizer":
        total += L * (H * D * T + H * T - D * D - D)
    if variant == "synthesizer_shared":
        total += L * ((D // H + 1) * (T - 1) - D * D - D)
    return total + (m * D if variant == "perceiver" else 0)
