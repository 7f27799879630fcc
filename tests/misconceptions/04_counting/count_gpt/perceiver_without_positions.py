# expect: reject
# hint: the table of positions stays in this variant
def count_gpt(V, D, L, H, T, variant="vanilla", m=0):
    total = 2 * V * D + T * D + L * (12 * D**2 + 13 * D) + 2 * D
    if variant in ("rope", "relative"):
        total -= T * D
    if variant == "relative":
        total += L * H * T
    if variant == "synthesizer":
        total += L * (D * T + H * T - D * D - D)
    if variant == "synthesizer_shared":
        total += L * ((D // H + 1) * (T - 1) - D * D - D)
    return total + ((m - T) * D if variant == "perceiver" else 0)
