# expect: reject
# hint: the number of heads is an argument
def count_gpt(V, D, L, H, T, variant="vanilla", m=0):
    total = 2 * V * D + T * D + L * (12 * D**2 + 13 * D) + 2 * D
    if variant in ("rope", "relative"):
        total -= T * D
    if variant == "relative":
        total += L * 8 * T
    if variant == "synthesizer":
        total += L * (D * T + 8 * T - D * D - D)
    if variant == "synthesizer_shared":
        total += L * ((D // 8 + 1) * (T - 1) - D * D - D)
    return total + (m * D if variant == "perceiver" else 0)
